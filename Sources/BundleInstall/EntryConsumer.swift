import BundleStore

/// Puts entries that have been read into the store, in the archive's order, and keeps the manifests among them.
///
/// Not thread-safe.
final class EntryConsumer {
    let ingest: ReleaseIngest
    /// How many files were read and not taken, because macOS keeps them for itself.
    private(set) var leftOutCount = 0
    private var manifestsByPath: [BundlePath: [UInt8]] = [:]

    init(_ ingest: ReleaseIngest) {
        self.ingest = ingest
    }

    /// Adds the entries of batches that have been decoded.
    ///
    /// - Throws: What stopped a batch, after the entries before; `BundleError`.
    func consume(_ batches: [ContentBatch]) throws {
        for batch in batches {
            for item in batch.items {
                switch item.action {
                case .addFile(let path):
                    guard let digest = item.digest else { break }
                    try add(path, batch.bytes(of: item), digest)
                case .addFolder(let path): try ingest.addFolder(path)
                case .addLink(let path, let target, let kind): try ingest.addLink(path, to: target, kind)
                case .leaveOut: leftOutCount += 1
                }
            }
            if let failure = batch.failure { throw failure }
        }
    }

    /// Adds a file that `readChunks` gives in pieces, or only reads it when it has no path.
    func consume(
        _ path: BundlePath?,
        readChunks: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard let path else {
            try readChunks { _ in }
            leftOutCount += 1
            return
        }
        let mayBeManifest = mayBeManifest(path)
        var manifest: [UInt8] = []
        try readChunks { bytes in
            try ingest.append(bytes)
            if mayBeManifest { Self.append(bytes, to: &manifest) }
        }
        try ingest.endFile(path)
        if mayBeManifest { manifestsByPath[path] = manifest }
    }

    /// The manifest at the root, or in the single top folder, which is then taken off all the paths.
    func takeManifest() -> [UInt8]? {
        if let root = manifestsByPath.first(where: { $0.key.components.count == 1 }) { return root.value }
        guard manifestsByPath.count == 1, let nested = manifestsByPath.first,
            ingest.stripFolder(String(nested.key.components[0]))
        else { return nil }
        return nested.value
    }

    private func add(_ path: BundlePath, _ content: UnsafeRawBufferPointer, _ digest: Digest) throws {
        try ingest.add(path, content, digest: digest)
        guard mayBeManifest(path) else { return }
        var manifest: [UInt8] = []
        Self.append(content, to: &manifest)
        manifestsByPath[path] = manifest
    }

    /// One byte over the limit is kept, so that the parser can say that it is too long.
    private static func append(_ bytes: UnsafeRawBufferPointer, to manifest: inout [UInt8]) {
        manifest.append(contentsOf: bytes.prefix(max(BundleManifest.maximumByteCount + 1 - manifest.count, 0)))
    }

    private func mayBeManifest(_ path: BundlePath) -> Bool {
        guard path.string.utf8.last == UInt8(ascii: "n"), path.lastComponent == BundleManifest.fileName else {
            return false
        }
        let depth = path.components.count
        // A second folder's manifest is only kept to know that there are two; a thousand would fill the memory.
        return depth == 1 || depth == 2 && manifestsByPath.count < 2
    }
}
