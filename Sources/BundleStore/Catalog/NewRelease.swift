/// A release whose files are durable, about to be entered into the catalog.
struct NewRelease: Sendable {
    let name: BundleName
    let version: BundleVersion
    let manifest: [UInt8]
    let index: FileIdentifier
    let segments: [FileIdentifier]
    let contentDigest: Digest
    let fileCount: Int
    let byteCount: Int64
}
