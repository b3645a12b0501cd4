import BundleStore
import BundleTrust
import Foundation
import HTTPCore

/// The root of a publisher, by which a program has the feed of a bundle trusted, and by no other one: the document, such as a `root.json`
/// that is shipped with the program, or its digest. A value type; safe to share between threads.
public struct PublisherRoot: Hashable, Sendable {
    /// Its SHA-256.
    let digest: Digest
    /// Its bytes; empty when only the digest is known.
    let bytes: [UInt8]
    /// Its version; nil when only the digest is known.
    let version: Int?

    /// Takes the document: the publisher's first root, or a later one.
    ///
    /// - Parameter bytes: The document as the publisher has made it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it isn't a root that is signed by its own keys.
    public init(_ bytes: [UInt8]) throws(BundleError) {
        try self.init(bytes, named: "the root")
    }

    /// Reads the document, such as `Bundle.main.url(forResource: "1.root", withExtension: "json")`.
    ///
    /// - Throws: As ``init(_:)``, also when `file` isn't the URL of a file; with code `inputUnavailable` when it can't be read.
    public init(contentsOf file: URL) throws(BundleError) {
        let path = try file.filePath()
        try self.init(InputDocument(path, atMost: TrustLimits.rootByteCount).bytes, named: Printable.line(path))
    }

    /// Takes the digest of the publisher's first root, which is fetched with the feed.
    ///
    /// - Parameter text: The SHA-256 as `bundlectl keys show` prints it: 64 hexadecimal digits, with or without `sha256:` before them.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it is anything else.
    public init(sha256 text: String) throws(BundleError) {
        let prefix = "sha256:"
        guard let digest = Digest(hex: text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text) else {
            throw BundleError(
                .invalidArgument,
                "“\(Printable.text(text))” is no SHA-256 of a root; give the digest that the publisher shows for the first root"
            )
        }
        (self.digest, bytes, version) = (digest, [], nil)
    }

    /// - Parameter source: What messages call it.
    init(_ bytes: [UInt8], named source: String) throws(BundleError) {
        do {
            version = try TrustedState(anchor: bytes).root.version
        } catch {
            throw BundleError(
                .invalidArgument,
                "\(source) can't be trusted: \(error.problem); give the root that the publisher has made",
                cause: error
            )
        }
        (digest, self.bytes) = (Digest(of: bytes), bytes)
    }

    /// Its SHA-256, 64 hexadecimal digits.
    public var sha256: String { digest.hex }

    /// As it is kept; nil when only the digest is known.
    var document: TrustedDocument? {
        version.map { TrustedDocument(TrustedDocument.root, version: Int64($0), bytes) }
    }
}

extension BundleStore {
    /// The most bytes of a root that ``trust(_:root:named:)`` takes.
    package static var maximumRootByteCount: Int { TrustLimits.rootByteCount }

    /// Has a bundle's feed trusted by a publisher's root, and by no other publisher's, from now on. The bundle needn't be installed yet. A
    /// root that is trusted already changes nothing, and one that comes next is followed. The journal has the first one.
    ///
    /// - Parameters:
    ///   - root: The root's bytes.
    ///   - source: What messages call it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it isn't a root that is signed by its own keys; as
    ///   ``trust(_:shipped:)``.
    package func trust(_ name: BundleName, root bytes: [UInt8], named source: String) throws {
        let root = try PublisherRoot(bytes, named: source)
        let isFirst = try trustAnchor(of: name) == nil
        try trust(name, shipped: root)
        if isFirst { UpdateJournal(store: self).given(root.digest, of: name) }
    }
}
