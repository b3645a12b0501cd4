/// An archive format that can be read and written: zip, or tar with at most one layer of compression.
///
/// A value type; safe to share between threads.
public enum ArchiveFormat: String, Hashable, Sendable, CaseIterable {
    /// PKWARE's zip (APPNOTE 6.3), including ZIP64.
    case zip
    /// POSIX tar (ustar and pax) and GNU tar, uncompressed.
    case tar
    /// Tar with gzip (RFC 1952).
    case tarGzip = "tar.gz"
    /// Tar with xz.
    case tarXz = "tar.xz"
    /// Tar with Zstandard (RFC 8878).
    case tarZstandard = "tar.zst"

    /// The format for a file name's extension, in any case: `.zip`, `.tar`, `.tar.gz` or `.tgz`, `.tar.xz` or `.txz`,
    /// `.tar.zst` or `.tzst`. Nil for any other name.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        let match = ArchiveFormat.allCases.first { format in format.suffixes.contains { name.hasSuffix($0) } }
        guard let match else { return nil }
        self = match
    }

    private var suffixes: [String] {
        switch self {
        case .zip: [".zip"]
        case .tar: [".tar"]
        case .tarGzip: [".tar.gz", ".tgz"]
        case .tarXz: [".tar.xz", ".txz"]
        case .tarZstandard: [".tar.zst", ".tzst"]
        }
    }
}

extension ArchiveFormat: CustomStringConvertible {
    /// The usual file extension, without its dot.
    public var description: String { rawValue }
}
