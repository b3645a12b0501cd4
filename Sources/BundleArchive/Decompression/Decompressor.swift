/// Undoes the compression around a tar archive, in constant memory and with every checksum that it has. It stands in for
/// libarchive's filters, which check no checksum of gzip, stop at what they don't know, and take all the memory that an
/// archive asks for.
///
/// An archive may consist of several members (gzip), streams (xz) or frames (Zstandard), one right behind the other.
/// Nothing else may follow them: some programs would see it and others not.
protocol Decompressor: AnyObject {
    /// Decompresses what comes next.
    ///
    /// - Returns: The number of bytes that came; 0 once the file has ended where it must.
    func read(from input: FileStream, into output: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int
}

/// How far back compressed data may refer to what came out before, all of which is held in memory.
enum DecompressionWindow {
    /// The largest window: with it a process stays under 64 MB. `xz -6` and `zstd -19` take 8 MiB.
    static let maximumByteCount = 16 << 20
}

extension ArchiveFormat {
    /// What undoes the format's compression; nil when it has none.
    func makeDecompressor() throws(ArchiveError) -> (any Decompressor)? {
        switch self {
        case .zip, .tar: nil
        case .tarGzip: try GzipDecompressor()
        case .tarXz: try XzDecompressor()
        case .tarZstandard: try ZstandardDecompressor()
        }
    }
}
