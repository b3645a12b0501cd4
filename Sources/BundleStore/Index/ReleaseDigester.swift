/// Computes ``Release/contentDigest``: SHA-256 over the manifest and then, in path order, each file's path, a zero
/// byte, and the digest of its content.
struct ReleaseDigester {
    private static let separator: [UInt8] = [0]

    private var hasher = BufferedHasher()

    /// - Parameter manifest: The manifest as stored in the catalog.
    init(manifest: [UInt8]) {
        manifest.withUnsafeBytes { hasher.update($0) }
    }

    /// Adds the next file.
    mutating func add(path: UnsafeRawBufferPointer, _ content: Digest) {
        hasher.update(path)
        Self.separator.withUnsafeBytes { hasher.update($0) }
        content.withUnsafeBytes { hasher.update($0) }
    }

    /// The digest of everything added.
    mutating func digest() -> Digest { hasher.digest() }
}
