import BundleStore

/// An access key of an object store. Neither its description nor its mirror has the secret. A value type; safe to share between threads.
package struct S3Credentials: Hashable, Sendable {
    /// Names the key; it isn't secret.
    let accessKey: String
    let secretKey: String
    /// Of a key that expires; nil for one that doesn't.
    let sessionToken: String?

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when they have characters that can't be sent. The message has
    ///   nothing of them.
    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) throws(BundleError) {
        let isWord = accessKey.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._~+=:@".utf8.contains($0) }
        guard isWord, !accessKey.isEmpty, !secretKey.isEmpty, HTTPSyntax.isFieldValue(secretKey),
            sessionToken.map(HTTPSyntax.isFieldValue) ?? true
        else {
            throw BundleError(
                .invalidArgument,
                "the access key for S3, its secret or its session token has characters that none can have; copy it again"
            )
        }
        (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "an access key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A file of AWS' command line, `~/.aws/credentials` or `~/.aws/config`: profiles with their settings (AWS SDKs and Tools Reference Guide,
/// “Using shared config and credentials files”). It may have secrets, and has no description. Pure; a value type.
struct AWSProfiles: Sendable {
    /// Settings by the names of their profiles. A nested one has the name of the outer one before it, `s3.addressing_style`.
    private(set) var profiles: [String: [String: String]] = [:]

    /// Reads a file's text.
    ///
    /// - Parameters:
    ///   - text: Of several settings of one name the last one counts; what isn't understood is skipped, as AWS' programs do.
    ///   - hasPrefix: Whether the sections of profiles other than `default` are called `profile NAME`, as in `config`.
    init(_ text: String, hasPrefix: Bool) {
        var (profile, outer): (String?, String?)
        for line in text.split(whereSeparator: \.isNewline) {
            let content = line.trimmed
            if content.isEmpty || content.hasPrefix("#") || content.hasPrefix(";") { continue }
            if content.hasPrefix("[") {
                (profile, outer) = (Self.profile(content, hasPrefix), nil)
                continue
            }
            guard let profile, let (name, value) = Self.setting(content) else { continue }
            if line.first?.isWhitespace != true { outer = value.isEmpty ? name : nil }
            guard !value.isEmpty else { continue }
            profiles[profile, default: [:]][outer.map { "\($0).\(name)" } ?? name] = value
        }
    }

    private static func setting(_ line: String) -> (name: String, value: String)? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let value = line[line.index(after: equals)...].trimmed
        return (line[..<equals].trimmed.lowercased(), value)
    }

    /// Nil for a section that isn't a profile's.
    private static func profile(_ line: String, _ hasPrefix: Bool) -> String? {
        guard let end = line.firstIndex(of: "]") else { return nil }
        let words = line[..<end].dropFirst().split(maxSplits: 1, whereSeparator: \.isWhitespace).map(\.trimmed)
        switch (words.count, words.first) {
        case (1, let name): return !hasPrefix || name == "default" ? name : nil
        case (2, "profile") where hasPrefix: return words[1].filter { $0 != "\"" }
        default: return nil
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.dropLast(start.reversed().prefix(while: \.isWhitespace).count))
    }
}
