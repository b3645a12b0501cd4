import BundleStore
import BundleTrust
import BundleUpdate
import Foundation

/// The documents in the folder of a copy, and what else is there. A value type; safe to share between threads.
struct MirrorFolder: Sendable {
    let path: String

    /// Checks that the folder may have a feed's copy.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it has keys, or the feed of another bundle or another
    ///   publisher; `invalidFeed` when it has a later state of the feed; `inputUnavailable` when it can't be read.
    func check(_ published: PublishedFeed) throws(BundleError) {
        try KeyFile.checkAbsence(in: path)
        // What can't be read is replaced.
        if let present = try? FeedFolder(path).read(), present.name != published.feed.name {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(path)) has the feed of \(present.name), and not of \(published.feed.name); name another folder"
            )
        }
        for version in 1... {
            guard let root = try file(RoleName.root.fileName(version: version), TrustLimits.rootByteCount) else {
                break
            }
            guard let signatures = published.signatures else {
                throw refusal("was signed, and the feed isn't any more")
            }
            guard version <= signatures.roots.count else { throw older("the root") }
            guard root == signatures.roots[version - 1] else { throw refusal("has the feed of another publisher") }
        }
        guard let signatures = published.signatures,
            let timestamp = try file(RoleName.timestamp.fileName, TrustLimits.timestampByteCount),
            var state = try? TrustedState(anchor: signatures.roots.last ?? []),
            (try? state.restoreTimestamp(timestamp)) != nil
        else { return }
        guard state.timestamp?.version ?? 0 <= signatures.state.timestamp?.version ?? 0 else {
            throw older("the timestamp")
        }
    }

    /// Writes the feed and its documents.
    ///
    /// - Parameter documents: Nil for a feed that isn't signed.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func write(_ feed: [UInt8], _ documents: MirroredDocuments?) throws(BundleError) {
        for (name, bytes) in writes(feed, documents) where !has(bytes, as: name) {
            try StagedFile(for: "\(path)/\(name)").publish(bytes)
        }
    }

    /// What is written, in an order in which a device finds at any time what it is led to, as far as the feed and the timestamp belong
    /// together, and the roots have the same keys.
    func writes(_ feed: [UInt8], _ documents: MirroredDocuments?) -> [(name: String, bytes: [UInt8])] {
        let feed = (name: FeedFolder.feedFileName, bytes: feed)
        guard let documents else { return [feed] }
        let new = documents.documents.filter { !isThere($0.name) }
        // A copy that is signed again has other documents of the same version. One that leads to a version alone leads to both.
        let replaced = documents.documents.filter { isThere($0.name) }
        let roots = documents.roots.enumerated().map { (RoleName.root.fileName(version: $0 + 1), $1) }
        let timestamp = (RoleName.timestamp.fileName, documents.timestamp)
        return documents.pinsContent
            ? new + replaced.reversed() + roots + [feed, timestamp] : new + roots + [feed, timestamp] + replaced
    }

    /// Whether there is a copy already, so that what the feed doesn't name any more was put there by one.
    var hasCopy: Bool { isThere(FeedFolder.feedFileName) }

    /// Removes what the feed doesn't name any more, of what publishing and copying put into a folder.
    ///
    /// - Parameter partPrefix: What the names of unfinished files begin with.
    /// - Returns: The names of those that were removed, sorted, without those of documents and unfinished files.
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable` when one can't be removed.
    func removeOthers(
        than published: PublishedFeed,
        _ documents: MirroredDocuments?,
        partPrefix: String
    ) throws(BundleError) -> [String] {
        let names = Set(documents?.documents.map(\.name) ?? [])
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix(partPrefix) || MetadataFile.isSuperseded(name) && !names.contains(name) {
            // It is of no use to anybody, and the next copy tries again.
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        let entries = try FeedDocument.parse(published.bytes, named: FeedFolder.feedFileName).entries
        let archives = ListedArchives(of: published.feed.name, in: path)
        let named = ListedArchives.fileNames(of: entries.filter { !$0.terms.isRevoked })
        return try archives.remove(archives.present.subtracting(named))
    }

    private func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }

    /// Whether a file has these bytes. No more than these are read of what others have put there.
    private func has(_ bytes: [UInt8], as name: String) -> Bool { (try? file(name, bytes.count)) == bytes }

    private func file(_ name: String, _ maximumByteCount: Int) throws(BundleError) -> [UInt8]? {
        try MetadataFile.read(name, in: path, atMost: maximumByteCount)
    }

    private func refusal(_ problem: String) -> BundleError {
        BundleError(.invalidArgument, "\(Printable.line(path)) \(problem); name another folder, or empty it")
    }

    private func older(_ document: String) -> BundleError {
        BundleError(
            .invalidFeed,
            "\(Printable.line(path)) has a later version of \(document) than the feed: the place was set back; have the publisher "
                + "correct it, or name another folder"
        )
    }
}
