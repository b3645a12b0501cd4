import Foundation

/// A cached response from the network, with the bundle and version it was fetched under.
///
/// Immutable; safe to share between threads. Its body stays readable for as long as it is held.
package struct CachedResponse: Sendable {
    /// The row's number in the catalog.
    package let id: Int64
    /// The requested URL.
    package let url: String
    /// The bundle.
    package let bundle: BundleName
    /// The version that was active when it was fetched.
    package let version: BundleVersion
    /// What the cache keeps beside the body; opaque to the store.
    package let metadata: [UInt8]
    /// The length of the body in bytes.
    package let byteCount: Int64
    /// When it was stored.
    package let storedAt: Date

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
