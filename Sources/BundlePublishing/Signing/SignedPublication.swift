import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// What is about to be written into a feed's folder, all signed. A value type; safe to share between threads.
struct SignedPublication: Sendable {
    let folder: FeedFolder
    /// Documents with a version in their names, and the feed's copy with its digest, in the order in which they are written.
    let documents: [(name: String, bytes: [UInt8])]
    /// All roots; those that the folder lacks are written.
    let roots: RootChain
    let feed: [UInt8]
    let timestamp: [UInt8]
    /// The version of the documents that the online key has signed.
    let version: Int
    /// When the documents that the online key has signed expire.
    let expiry: Date
    /// Where the version is kept.
    let lastVersion: SignedVersion

    /// The names of the documents.
    var names: Set<String> { Set(documents.map(\.name)) }

    /// Writes everything in an order in which a device finds at any time what it is led to: what has a version in its name first, then
    /// the feed, and the timestamp last.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `outputUnavailable`.
    func write() throws(BundleError) {
        for (name, bytes) in documents { try write(bytes, as: name, insteadOf: nil) }
        for (index, root) in roots.documents.enumerated() {
            try write(root, as: RoleName.root.fileName(version: index + 1), insteadOf: nil)
        }
        try write(feed, as: FeedFolder.feedFileName, insteadOf: feed)
        try StagedFile(for: "\(folder.path)/\(RoleName.timestamp.fileName)").publish(timestamp)
        folder.whenPublished { lastVersion.keep(version, root: roots.documents.count) }
    }

    /// - Parameter same: What needn't be written again; nil for anything that has the name, since a version never changes.
    private func write(_ bytes: [UInt8], as name: String, insteadOf same: [UInt8]?) throws(BundleError) {
        let path = "\(folder.path)/\(name)"
        if FileManager.default.fileExists(atPath: path) {
            guard let same, FileManager.default.contents(atPath: path) != Data(same) else { return }
        }
        try StagedFile(for: path).publish(bytes)
    }
}

// MARK: - Verification

extension SignedPublication {
    /// Verifies everything as devices do it that know any of the roots, and what is in the folder now: the fleet mustn't be the first
    /// to find a wrong key.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when one of them would refuse it.
    func verify(at now: Date) throws(BundleError) {
        for (index, root) in roots.documents.enumerated() {
            do throws(TrustError) {
                try verify(from: root, at: now)
            } catch {
                let isOfRoot = error.subject == RoleName.root.documentName
                throw BundleError(
                    .invalidFeed,
                    "devices that know version \(index + 1) of the root would refuse the feed: \(error.subject) \(error.problem)"
                        + Self.advice(error),
                    error.code == .expired && isOfRoot ? .renewRoot : nil,
                    cause: error
                )
            }
        }
    }

    private static func advice(_ error: TrustError) -> String {
        switch (error.code, error.subject) {
        case (.expired, RoleName.root.documentName): ""
        case (.expired, _):
            "; publish with the release key, which signs it for another year, and check this machine's clock"
        case (.tooFewSignatures, _): "; sign with the keys of the latest root"
        case (.rollback, _): "; restore the folder from a backup, since something older is in it"
        default: "; nothing was written"
        }
    }

    private func verify(from anchor: [UInt8], at now: Date) throws(TrustError) {
        var state = try TrustedState(anchor: anchor)
        restore(&state)
        while let request = state.rootRequest, request.version ?? 0 <= roots.documents.count {
            try state.updateRoot(roots.documents[(request.version ?? 0) - 1])
        }
        let role = try state.follow(timestamp, documents, to: feed, at: now)
        guard role == .feedFile else {
            throw TrustError(.missing, FeedFolder.feedFileName, "isn't a target of its role")
        }
    }

    /// Gives a device what it has if it has followed the feed so far. What its root's keys haven't signed counts for nothing.
    private func restore(_ state: inout TrustedState) {
        guard let timestamp = file(RoleName.timestamp.fileName, TrustLimits.timestampByteCount) else { return }
        try? state.restoreTimestamp(timestamp)
        guard let request = state.snapshotRequest, let snapshot = file(request.fileName, request.maximumByteCount)
        else {
            return
        }
        try? state.restoreSnapshot(snapshot)
    }

    private func file(_ name: String, _ maximumByteCount: Int) -> [UInt8]? {
        (try? MetadataFile.read(name, in: folder.path, atMost: maximumByteCount)) ?? nil
    }
}

extension TrustedState {
    /// Takes a feed's documents before they are published, in the order in which `TrustWorkflow` asks for them, and verifies the feed.
    ///
    /// - Parameters:
    ///   - documents: Those below the timestamp, by the names of their files.
    ///   - feed: The feed's bytes.
    /// - Returns: The role that vouches for the feed.
    /// - Throws: `TrustError`.
    mutating func follow(
        _ timestamp: [UInt8],
        _ documents: [(name: String, bytes: [UInt8])],
        to feed: [UInt8],
        at now: Date
    ) throws(TrustError) -> RoleName {
        func document(_ request: MetadataRequest?) throws(TrustError) -> [UInt8] {
            guard let request, let document = documents.first(where: { $0.name == request.fileName }) else {
                throw TrustError(
                    .missing,
                    request?.fileName ?? RoleName.targets.documentName,
                    "isn't among the documents"
                )
            }
            return document.bytes
        }
        guard try updateTimestamp(timestamp, at: now) else {
            throw TrustError(.rollback, RoleName.timestamp.documentName, "has the version of the one before")
        }
        try updateSnapshot(document(snapshotRequest), at: now)
        try updateTargets(document(targetsRequest), at: now)
        var search = try search(for: TargetPath(FeedFolder.feedFileName), at: now)
        while case .needs(let request) = search.progress { try search.supply(document(request)) }
        guard case .found(let target, let role) = search.progress else {
            throw TrustError(.missing, FeedFolder.feedFileName, "isn't a target of its role")
        }
        try target.file.verify(feed, named: FeedFolder.feedFileName)
        return role
    }
}
