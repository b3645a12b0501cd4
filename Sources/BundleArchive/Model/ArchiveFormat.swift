/// An archive format that can be read and written: zip, or tar under at most one layer of compression.
///
/// A value type; safe to share between threads.
public enum ArchiveFormat: String, Hashable, Sendable, CaseIterable {
    /// PKWARE's zip (APPNOTE 6.3), ZIP64 included.
    case zip
    /// POSIX tar (ustar and pax) and GNU tar, uncompressed.
    case tar
    /// Tar in gzip (RFC 1952).
    case tarGzip = "tar.gz"
    /// Tar in xz.
    case tarXz = "tar.xz"
    /// Tar in Zstandard (RFC 8878).
    case tarZstandard = "tar.zst"

    /// The format that a file's name stands for, by its extension in any case: `.zip`, `.tar`, `.tar.gz` or `.tgz`,
    /// `.tar.xz` or `.txz`, `.tar.zst` or `.tzst`. Returns nil for any other name.
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
