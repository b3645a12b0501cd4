import BundleModel
import BundleTrust
import Foundation

/// The documents that the online key signs: the role `feed`, the snapshot and the timestamp, all of the same version. A value type; safe
/// to share between threads.
struct OnlineDocuments: Sendable {
    /// The document of the role `feed`.
    let feed: [UInt8]
    let snapshot: [UInt8]
    let timestamp: [UInt8]

    /// Signs them.
    ///
    /// - Parameters:
    ///   - bytes: The feed.
    ///   - targets: What may be installed, as it is signed.
    ///   - root: Says who signs the snapshot and the timestamp.
    ///   - authority: Signs the role `feed`, as the targets say; nil for who signs the snapshot.
    ///   - keys: Have the online key.
    ///   - version: The version of all three.
    ///   - expiry: When their life is over.
    ///   - now: When they are signed.
    ///   - pinsContent: Whether the timestamp and the snapshot say which bytes the documents have that they lead to, and not only which
    ///     version.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when a key is missing; as
    ///   ``MetadataDocument/encoded(_:by:)``.
    init(
        for bytes: [UInt8],
        _ targets: (bytes: [UInt8], version: Int),
        by root: RootContent,
        delegatingTo authority: RoleAuthority?,
        _ keys: SigningKeys,
        version: Int,
        expiry: Date,
        at now: Date,
        pinsContent: Bool = true
    ) throws {
        let online = try keys.signers(for: .online, by: root.snapshot)
        func header(_ type: ExactString) -> [(String, JSONValue)] {
            MetadataDocument.header(type, version: version, expiry: expiry)
        }
        func listed(_ document: [UInt8]) -> JSONValue {
            pinsContent
                ? MetadataDocument.listed(document, version: version) : .members([("version", .integer(version))])
        }
        let target = MetadataDocument.file(Int64(bytes.count), Digest(of: bytes))
        feed = try MetadataDocument.encoded(
            .members(
                header(TargetsContent.type) + [("targets", .members([(FeedFolder.feedFileName, .members(target))]))]
            ),
            by: authority.map { try keys.signers(for: .online, by: $0) } ?? online
        )
        let documents = [
            (RoleName.targets.documentName, MetadataDocument.listed(targets.bytes, version: targets.version)),
            (RoleName.feedFile.documentName, listed(feed)),
        ]
        snapshot = try MetadataDocument.encoded(
            .members(header(SnapshotContent.type) + [("meta", .members(documents))]),
            by: online
        )
        let meta = [(RoleName.snapshot.documentName, listed(snapshot))]
        timestamp = try MetadataDocument.encoded(
            .members(
                header(TimestampContent.type) + [
                    ("meta", .members(meta)), ("signedAt", MetadataDocument.time(now)),
                ]
            ),
            by: keys.signers(for: .online, by: root.timestamp)
        )
    }
}
