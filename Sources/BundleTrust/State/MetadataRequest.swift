/// A document that has to be fetched next. A value type; safe to share between threads.
package struct MetadataRequest: Hashable, Sendable {
    /// The role.
    package let role: RoleName
    /// The version that is expected; nil for the timestamp, of which any may be the latest.
    package let version: Int?
    /// The name of the file in the repository: `timestamp.json`, `3.targets.json`.
    package let fileName: String
    /// How many bytes are read at most.
    package let maximumByteCount: Int

    /// A root is always asked for by its version (5.3.3).
    package static func root(version: Int) -> MetadataRequest {
        MetadataRequest(
            role: .root,
            version: version,
            fileName: RoleName.root.fileName(version: version),
            maximumByteCount: TrustLimits.rootByteCount
        )
    }

    /// The timestamp is the one file whose version nobody knows before (6.2).
    static let timestamp = MetadataRequest(
        role: .timestamp,
        version: nil,
        fileName: RoleName.timestamp.fileName,
        maximumByteCount: TrustLimits.timestampByteCount
    )

    /// A document that another one lists.
    static func listed(
        _ role: RoleName,
        _ document: ListedDocument,
        isConsistentSnapshot: Bool,
        atMost limit: Int
    ) -> MetadataRequest {
        MetadataRequest(
            role: role,
            version: document.version,
            fileName: isConsistentSnapshot ? role.fileName(version: document.version) : role.fileName,
            maximumByteCount: document.byteCount(atMost: limit)
        )
    }
}
