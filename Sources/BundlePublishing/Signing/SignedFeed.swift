import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// What the documents in a feed's folder say, as far as they are signed by those who may. The server's operator may have
/// written there too: what isn't signed is never signed because it is there.
///
/// A value type; safe to share between threads.
struct SignedFeed: Sendable {
    /// The latest state.
    struct State: Sendable {
        let snapshot: SnapshotContent
        let targets: TargetsContent
        /// As signed.
        let targetsDocument: [UInt8]
        let feed: TargetsContent
    }

    /// The roots, those of the keys before those of the folder.
    let roots: RootChain
    /// Nil before the first signature.
    let state: State?
    /// The highest version of the documents that the online key signs, which all have the same; 0 before the first.
    let onlineVersion: Int
    /// When the timestamp was signed, which devices take for the least time from then on; nil without one of the latest root's.
    let signingTime: Date?
    /// `feed.json` as it is; nil for none.
    let feed: [UInt8]?

    private let folder: String

    /// Whether a folder has signed documents.
    static func isSigned(_ folder: String) -> Bool {
        [RoleName.root.fileName(version: 1), RoleName.timestamp.fileName]
            .contains { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
    }

    /// Reads a folder.
    ///
    /// - Parameters:
    ///   - roots: The roots that the publisher has; later ones of the folder follow them.
    ///   - earliestRoot: The version of the first root whose keys count, too, though a later root has replaced them; nil for the latest
    ///     root's alone. Only a person who replaces a key can know that: the earlier key may have been stolen.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when a root isn't that of the keys, or the feed isn't the signed
    ///   one; `inputUnavailable` when a file can't be read; `invalidArgument` when the folder has keys.
    init(_ folder: String, known roots: RootChain, takingOverFrom earliestRoot: Int? = nil) throws(BundleError) {
        var roots = roots
        try KeyFile.checkAbsence(in: folder)
        try roots.follow(in: folder)
        self.folder = folder
        self.roots = roots
        feed = try MetadataFile.read(FeedFolder.feedFileName, in: folder, atMost: TrustLimits.targetsByteCount)
        signingTime = try Self.timestamp(in: folder, roots.latest)?.signedAt
        let versions = Self.versions(of: .snapshot, in: folder)
        var state: State?
        (state, onlineVersion) = try Self.state(of: feed, in: folder, versions, trusting: roots.latest)
        // Only the newest root under which everything is signed: a key that an even later root has replaced may have been stolen.
        let earlier = roots.contents.dropLast().filter { root in earliestRoot.map { root.version >= $0 } ?? false }
        for root in earlier.reversed() where state == nil {
            (state, _) = try Self.state(of: feed, in: folder, versions, trusting: root)
        }
        self.state = state
        guard state != nil || versions.isEmpty else {
            let isOfReplacedKeys = roots.contents.dropLast().contains { root in
                (try? Self.state(of: feed, in: folder, versions, trusting: root))?.0 != nil
            }
            throw Self.changed(
                folder,
                isUnknown: onlineVersion == 0 && earliestRoot == nil,
                isOfReplacedKeys: isOfReplacedKeys
            )
        }
    }

    /// A version that no file has, above one.
    func version(after version: Int, of roles: [RoleName]) throws(BundleError) -> Int {
        let taken = Set(roles.flatMap { Self.versions(of: $0, in: folder) })
        var next = version
        repeat {
            guard next < .max else {
                throw BundleError(.invalidFeed, "the versions are used up; publish the bundle elsewhere")
            }
            next += 1
        } while taken.contains(next)
        return next
    }

    /// The newest state whose feed is `feed.json` and whose documents are all signed by keys of one root, and the highest version that
    /// these have signed. A publication that was interrupted may have left a newer one, whose feed wasn't written.
    private static func state(
        of feed: [UInt8]?,
        in folder: String,
        _ versions: [Int],
        trusting root: RootContent
    ) throws(BundleError) -> (State?, Int) {
        var highest = 0
        for version in versions {
            guard let snapshot = try snapshot(version, in: folder, root) else { continue }
            highest = max(highest, version)
            guard let feed, let state = try state(snapshot, in: folder, root),
                let file = state.feed.targets[ExactString(FeedFolder.feedFileName)]?.file,
                (try? file.verify(feed, named: FeedFolder.feedFileName)) != nil
            else { continue }
            return (state, highest)
        }
        return (nil, highest)
    }

    private static func snapshot(
        _ version: Int,
        in folder: String,
        _ root: RootContent
    ) throws(BundleError) -> SnapshotContent? {
        let name = RoleName.snapshot.fileName(version: version)
        guard let bytes = try MetadataFile.read(name, in: folder, atMost: TrustLimits.snapshotByteCount) else {
            return nil
        }
        let content: SnapshotContent? = verified(
            bytes,
            of: .snapshot,
            by: root.snapshot,
            TrustLimits.snapshotByteCount
        )
        return content?.version == version ? content : nil
    }

    private static func timestamp(in folder: String, _ root: RootContent) throws(BundleError) -> TimestampContent? {
        let limit = TrustLimits.timestampByteCount
        let bytes = try MetadataFile.read(RoleName.timestamp.fileName, in: folder, atMost: limit)
        return bytes.flatMap { verified($0, of: .timestamp, by: root.timestamp, limit) }
    }

    private static func state(
        _ snapshot: SnapshotContent,
        in folder: String,
        _ root: RootContent
    ) throws(BundleError) -> State? {
        guard let targets = try listed(.targets, by: root.targets, in: snapshot, folder),
            let authority = targets.content.feedAuthority,
            let feed = try listed(.feedFile, by: authority, in: snapshot, folder)
        else { return nil }
        return State(
            snapshot: snapshot,
            targets: targets.content,
            targetsDocument: targets.bytes,
            feed: feed.content
        )
    }

    private static func listed(
        _ role: RoleName,
        by authority: RoleAuthority,
        in snapshot: SnapshotContent,
        _ folder: String
    ) throws(BundleError) -> (content: TargetsContent, bytes: [UInt8])? {
        guard let listed = try? snapshot.document(of: role),
            let bytes = try MetadataFile.read(
                role.fileName(version: listed.version),
                in: folder,
                atMost: TrustLimits.targetsByteCount
            ), (try? listed.content.verify(bytes, named: role.documentName)) != nil,
            let content: TargetsContent = verified(bytes, of: role, by: authority, TrustLimits.targetsByteCount),
            content.version == listed.version
        else { return nil }
        return (content, bytes)
    }

    private static func verified<Content: RoleContent>(
        _ bytes: [UInt8],
        of role: RoleName,
        by authority: RoleAuthority,
        _ maximumByteCount: Int
    ) -> Content? {
        try? authority.content(of: bytes, as: role, atMost: maximumByteCount)
    }

    /// Whether a device finds the whole latest state: all roots, and a timestamp that leads to its snapshot.
    var isComplete: Bool {
        guard let state, let timestamp = try? Self.timestamp(in: folder, roots.latest),
            timestamp.snapshot.version == state.snapshot.version,
            let snapshot = file(.snapshot, version: state.snapshot.version, TrustLimits.snapshotByteCount)
        else { return false }
        return (try? timestamp.snapshot.content.verify(snapshot, named: RoleName.snapshot.documentName)) != nil
            && file(.root, version: roots.documents.count, TrustLimits.rootByteCount) == roots.documents.last
    }

    private func file(_ role: RoleName, version: Int, _ maximumByteCount: Int) -> [UInt8]? {
        (try? MetadataFile.read(role.fileName(version: version), in: folder, atMost: maximumByteCount)) ?? nil
    }

    /// The versions of a role that there are files of, the highest first.
    private static func versions(of role: RoleName, in folder: String) -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let suffix = ".\(role.fileName)"
        return names.filter { $0.hasSuffix(suffix) }.compactMap { name in
            Int(name.dropLast(suffix.count)).flatMap { role.fileName(version: $0) == name && $0 > 0 ? $0 : nil }
        }.sorted(by: >)
    }

    private static func changed(_ folder: String, isUnknown: Bool, isOfReplacedKeys: Bool) -> BundleError {
        let name = Printable.line(folder)
        if isOfReplacedKeys {
            return BundleError(
                .invalidFeed,
                "\(name) is signed by a key that was replaced",
                .signFeed(in: folder)
            )
        }
        return isUnknown
            ? BundleError(
                .invalidFeed,
                "nothing in \(name) is signed by the online key of the latest root; give the keys of this feed, or restore the folder"
            )
            : BundleError(
                .invalidFeed,
                "\(name)/\(FeedFolder.feedFileName) and the documents beside it aren't those that were signed last; restore the folder from "
                    + "a backup"
            )
    }
}
