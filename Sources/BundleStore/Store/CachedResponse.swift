import Foundation

/// A cached response from the network, with the bundle and version it was fetched under.
///
/// Immutable; safe to share between threads. Its body stays readable for as long as it is held.
public struct CachedResponse: Sendable {
    /// The row's number in the catalog.
    public let id: Int64
    /// The requested URL.
    public let url: String
    /// The bundle.
    public let bundle: BundleName
    /// The version that was active when it was fetched.
    public let version: BundleVersion
    /// What the cache keeps beside the body; opaque to the store.
    public let metadata: [UInt8]
    /// The length of the body in bytes.
    public let byteCount: Int64
    /// When it was stored.
    public let storedAt: Date

    let body: FileIdentifier
    let digest: Digest

    init(_ record: CachedResponseRecord) {
        id = record.id
        url = record.url
        bundle = record.bundle
        version = record.version
        metadata = record.metadata
        byteCount = record.byteCount
        storedAt = record.storedAt
        body = record.body
        digest = record.digest
    }
}
