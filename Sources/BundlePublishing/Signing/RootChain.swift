import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// The roots from the first to the latest, each signed by the one before. A value type; safe to share between threads.
struct RootChain: Sendable {
    /// The documents; that of version 1 is the first.
    private(set) var documents: [[UInt8]]
    /// What they say.
    private(set) var contents: [RootContent]

    private var state: TrustedState

    /// Begins with the first root.
    ///
    /// - Throws: `TrustError`.
    init(first document: [UInt8]) throws(TrustError) {
        state = try TrustedState(anchor: document)
        guard state.root.version == 1 else {
            throw TrustError(
                .wrongVersion,
                RoleName.root.documentName,
                "has version \(state.root.version); 1 is the first"
            )
        }
        documents = [document]
        contents = [state.root]
    }

    /// Adds the next root.
    ///
    /// - Throws: `TrustError`.
    mutating func append(_ document: [UInt8]) throws(TrustError) {
        try state.updateRoot(document)
        documents.append(document)
        contents.append(state.root)
    }

    /// The latest root.
    var latest: RootContent { state.root }

    /// The chain of a folder's files; nil when it has no first root.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when a root isn't signed as it must be; `inputUnavailable` when one
    ///   can't be read.
    init?(in folder: String) throws(BundleError) {
        guard let first = try Self.document(1, in: folder) else { return nil }
        do {
            try self.init(first: first)
        } catch {
            throw BundleError(error, in: folder)
        }
        try follow(in: folder)
    }

    /// Adds the roots of a folder that follow the latest one; earlier ones must be those of the chain.
    ///
    /// - Throws: As ``init(in:)``.
    mutating func follow(in folder: String) throws(BundleError) {
        for (index, own) in documents.enumerated() {
            guard let other = try Self.document(index + 1, in: folder), other != own else { continue }
            let name = RoleName.root.fileName(version: index + 1)
            throw BundleError(
                .invalidFeed,
                "\(Printable.line(folder))/\(name) isn't the root of these keys; give the keys of this feed, or restore the file"
            )
        }
        while let next = try Self.document(documents.count + 1, in: folder) {
            do throws(TrustError) { try append(next) } catch { throw BundleError(error, in: folder) }
        }
    }

    private static func document(_ version: Int, in folder: String) throws(BundleError) -> [UInt8]? {
        try MetadataFile.read(RoleName.root.fileName(version: version), in: folder, atMost: TrustLimits.rootByteCount)
    }
}

/// Files of documents in a folder.
enum MetadataFile {
    /// The name of the feed's copy that never changes (specification 6.2): devices find there what is signed, also while `feed.json` is
    /// replaced, or a cache has an earlier one.
    static func copyName(of feed: [UInt8]) -> String { "\(Digest(of: feed)).\(FeedFolder.feedFileName)" }

    /// Whether a file is one that a later publication supersedes, by its name: `3.snapshot.json`, or a copy of the feed.
    static func isSuperseded(_ name: String) -> Bool {
        guard let dot = name.firstIndex(of: ".") else { return false }
        let (start, rest) = (String(name[..<dot]), name[name.index(after: dot)...])
        if rest == FeedFolder.feedFileName, Digest(hex: start) != nil { return true }
        return [RoleName.targets, .snapshot, .feedFile].contains { version(of: $0, in: name) != nil }
    }

    /// The version that a file's name says, `3.snapshot.json`; nil for a file that isn't one of the role.
    static func version(of role: RoleName, in name: String) -> Int? {
        let version = name.firstIndex(of: ".").flatMap { Int(name[..<$0]) }
        return version.flatMap { role.fileName(version: $0) == name ? $0 : nil }
    }

    /// The files of a folder that a later publication supersedes, the present ones among them.
    static func supersededNames(in folder: String) -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(names.filter(isSuperseded))
    }

    /// The bytes of a file, and one more when it is longer than it may be; nil when there is none.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read.
    static func read(_ name: String, in folder: String, atMost maximumByteCount: Int) throws(BundleError) -> [UInt8]? {
        let path = "\(folder)/\(name)"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try InputDocument(path, atMost: maximumByteCount).bytes
    }
}

extension BundleError {
    /// An error about the documents of a folder.
    init(_ error: TrustError, in folder: String) {
        self.init(.invalidFeed, "\(Printable.line(folder))/\(error)", cause: error)
    }
}
