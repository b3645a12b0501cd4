import BundleStore
import Foundation
import HTTPCore

/// The network rules of an operator or an app, which hold for all bundles and come before the bundles' own. A value type;
/// safe to share between threads.
public struct CommonRules: Sendable {
    /// In the order in which they are tried.
    let applied: [AppliedRule]

    /// No rules.
    public init() {
        applied = []
    }

    /// Reads a file: JSON as the member `network` of a manifest, without `precache`; see
    /// <doc:/BundleModel/NetworkRules>. The files of its mocks lie beside it. Waits for the disk; later changes of the file
    /// have no effect.
    ///
    /// - Parameter path: The file's path, absolute or from the current directory.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when the file can't be read,
    ///   `invalidArgument` when it is longer than 1 MiB, or breaks a rule of the manifest; the message names the place.
    /// - Returns: The rules, and a line for each that can never apply.
    public static func read(_ path: String) throws(BundleError) -> (rules: CommonRules, warnings: [String]) {
        let url = URL(fileURLWithPath: path)
        guard let bytes = try? Data(contentsOf: url, options: .mappedIfSafe) else {
            throw BundleError(
                .inputUnavailable,
                "\(Printable.line(path)) can't be read; check its name and permissions"
            )
        }
        let folder = url.deletingLastPathComponent().path(percentEncoded: false).trimmingSlash
        return try parse(Array(bytes), named: path, mocksIn: folder)
    }

    /// Reads a file by its URL, as ``read(_:)-(String)`` does.
    ///
    /// - Throws: As ``read(_:)-(String)``; with code `invalidArgument` also when `file` isn't the URL of a file.
    public static func read(_ file: URL) throws(BundleError) -> (rules: CommonRules, warnings: [String]) {
        try read(file.filePath())
    }

    /// Reads rules from memory: JSON as for ``read(_:)-(String)``.
    ///
    /// - Parameters:
    ///   - json: The text, in UTF-8.
    ///   - name: What messages call it.
    ///   - folder: Where the files of the mocks lie.
    /// - Throws: As ``read(_:)-(String)``.
    package static func parse(
        _ json: [UInt8],
        named name: String,
        mocksIn folder: String
    ) throws(BundleError) -> (rules: CommonRules, warnings: [String]) {
        let (rules, warnings) = try NetworkRules.parse(json, named: name)
        let source = AppliedRule.Source.file(name: Printable.line(name), folder: folder)
        return (CommonRules(RuleSet.numbered(rules.rules, source)), warnings)
    }

    /// Reads rules that an app has in its code, or has received: JSON as the member `network` of a manifest, without
    /// `precache`; see <doc:/BundleModel/NetworkRules>.
    ///
    ///     let json = #"{"rules": [{"requestFields": {"set": {"X-App": "shop"}}}]}"#
    ///     client.rules = try CommonRules.parse(json).rules
    ///
    /// - Parameters:
    ///   - json: The rules.
    ///   - folder: Where the files of their mocks lie, absolute or from the current directory.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the text is longer than 1 MiB, or breaks a
    ///   rule of the manifest; the message names the place.
    /// - Returns: The rules, and a line for each that can never apply.
    public static func parse(
        _ json: String,
        mocksIn folder: String = "."
    ) throws(BundleError) -> (rules: CommonRules, warnings: [String]) {
        let (rules, warnings) = try NetworkRules.parse(Array(json.utf8), named: Self.textName)
        let source = AppliedRule.Source.file(name: Self.textName, folder: folder.trimmingSlash)
        return (CommonRules(RuleSet.numbered(rules.rules, source)), warnings)
    }

    /// The same with the folder's URL.
    ///
    /// - Throws: As above; with code `invalidArgument` also when `folder` isn't the URL of a folder on this machine.
    public static func parse(
        _ json: String,
        mocksIn folder: URL
    ) throws(BundleError) -> (rules: CommonRules, warnings: [String]) {
        try parse(json, mocksIn: folder.filePath())
    }

    private static let textName = "the app's network rules"

    init(_ applied: [AppliedRule]) {
        self.applied = applied
    }
}

extension String {
    fileprivate var trimmingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
