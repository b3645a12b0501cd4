/// Removes the compression around a tar archive, in constant memory, and verifies every checksum. It replaces
/// libarchive's filters, which check no gzip checksum, stop at data that they don't know, and use as much memory as an
/// archive asks for.
///
/// An archive may consist of several members (gzip), streams (xz) or frames (Zstandard), one directly after another.
/// Nothing else may follow them: some programs would see it and others not.
protocol Decompressor: AnyObject {
    /// Decompresses the next bytes.
    ///
    /// - Returns: The number of bytes written; 0 after the file's proper end.
    func read(from input: FileStream, into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}

/// How far back compressed data may refer to earlier output, all of which is held in memory.
enum DecompressionWindow {
    /// The largest window: with it a process stays under 64 MB. `xz -6` and `zstd -19` take 8 MiB.
    static let maximumByteCount = 16 << 20
}

extension ArchiveFormat {
    /// A decompressor for the format; nil when it has no compression.
    func makeDecompressor() throws(ArchiveError) -> (any Decompressor)? {
        switch self {
        case .zip, .tar: nil
        case .tarGzip: try GzipDecompressor()
        case .tarXz: try XzDecompressor()
        case .tarZstandard: try ZstandardDecompressor()
        }
    }
}
