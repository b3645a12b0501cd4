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

/// The archive formats that a program reads: zip, and those of the modules that it adds, because they need libraries that not every
/// system has. `BundleTar` adds tar.
///
/// A value type; safe to share between threads.
public struct ArchiveFormats: Sendable {
    /// Opens a tar archive.
    package typealias TarOpening =
        @Sendable (ArchiveFile, ArchiveFormat, ReadBudget, ArchiveCharset?) throws(ArchiveError) -> any ArchiveSource

    /// Zip alone.
    public static let zip = ArchiveFormats(openTar: nil)

    private let openTar: TarOpening?

    /// - Parameter openTar: Opens tar archives, compressed or not; nil when the program reads none.
    package init(openTar: TarOpening?) {
        self.openTar = openTar
    }

    /// What to give in place of a file that isn't read.
    var advice: String {
        openTar == nil ? "give a zip archive" : "give a zip, tar, tar.gz, tar.xz or tar.zst archive"
    }

    /// Opens an archive whose format has been recognised.
    func source(
        of file: ArchiveFile,
        _ format: ArchiveFormat,
        _ budget: ReadBudget,
        _ charset: ArchiveCharset?
    ) throws(ArchiveError) -> any ArchiveSource {
        guard format != .zip else { return try ZipSource(file: file, budget: budget, charset: charset) }
        guard let openTar else {
            throw ArchiveError(
                .unsupportedFormat,
                "is a \(format) archive, which this program doesn't read",
                advice: advice
            )
        }
        return try openTar(file, format, budget, charset)
    }
}

/// The type of a file by its first bytes. It is determined here instead of in libarchive, so that only the one expected
/// reader sees the bytes.
enum ArchiveSignature: Hashable {
    /// One of the supported formats. For a compressed one only the compression is known yet.
    case supported(ArchiveFormat)
    /// Another format, by name.
    case foreign(String)
    /// Text instead of an archive, by the kind of text.
    case text(String)
    /// An empty file.
    case empty
    /// Anything else.
    case unknown

    /// The number of bytes needed; fewer suffice when the file is shorter.
    static let byteCount = TarHeader.byteCount

    private static let magics: [(bytes: [UInt8], signature: ArchiveSignature)] = [
        (Array("PK\u{3}\u{4}".utf8), .supported(.zip)),
        (Array("PK\u{5}\u{6}".utf8), .supported(.zip)),
        (Array("PK\u{7}\u{8}".utf8), .foreign("a split zip archive")),
        // Prepared to be split, but not split (APPNOTE 6.3.10, section 8.5.4).
        (Array("PK00PK\u{3}\u{4}".utf8), .foreign("a split zip archive")),
        ([0x1F, 0x8B], .supported(.tarGzip)),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], .supported(.tarXz)),
        ([0x28, 0xB5, 0x2F, 0xFD], .supported(.tarZstandard)),
        (Array("Rar!\u{1A}\u{7}".utf8), .foreign("a RAR archive")),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], .foreign("a 7-Zip archive")),
        (Array("BZh".utf8), .foreign("bzip2-compressed")),
        ([0x1F, 0x9D], .foreign("compressed by “compress”")),
        ([0x04, 0x22, 0x4D, 0x18], .foreign("LZ4-compressed")),
        ([0x5D, 0x00, 0x00], .foreign("LZMA-compressed")),
        (Array("MSCF".utf8), .foreign("a cabinet file")),
        (Array("xar!".utf8), .foreign("a xar archive")),
        (Array("!<arch>\n".utf8), .foreign("an ar archive or a Debian package")),
        (Array("070701".utf8), .foreign("a cpio archive")),
    ]

    /// Recognises a file by `prefix`, its first ``byteCount`` bytes.
    init(of prefix: [UInt8]) {
        if prefix.isEmpty {
            self = .empty
        } else if let magic = Self.magics.first(where: { prefix.starts(with: $0.bytes) }) {
            self = magic.signature
        } else if Self.isSkippableFrame(prefix) {
            self = .supported(.tarZstandard)
        } else if TarHeader.begins(prefix) {
            self = .supported(.tar)
        } else {
            self = Self.kindOfText(prefix).map(Self.text) ?? .unknown
        }
    }

    /// Whether a Zstandard file starts with a skippable frame (RFC 8878, section 3.1.2).
    private static func isSkippableFrame(_ prefix: [UInt8]) -> Bool {
        prefix.first.map { $0 & 0xF0 == 0x50 } == true && prefix.dropFirst().starts(with: [0x2A, 0x4D, 0x18])
    }

    private static func kindOfText(_ prefix: [UInt8]) -> String? {
        let text = String(decoding: prefix, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
        if text.hasPrefix("<?xml") { return "an XML document" }
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<!--") {
            return "an HTML page"
        }
        if ["<head", "<body", "<script", "<meta", "<title"].contains(where: text.hasPrefix) { return "an HTML page" }
        if text.hasPrefix("{") || text.hasPrefix("[") { return "JSON text" }
        return text.hasPrefix("version https://git-lfs") ? "a Git LFS pointer" : nil
    }
}

/// Tells archives from other files by their first bytes.
package enum ArchiveBeginning {
    /// The number of bytes needed; fewer suffice when the file is shorter.
    package static let byteCount = ArchiveSignature.byteCount

    /// Whether bytes are the beginning of an archive of a supported format.
    package static func isArchive(_ prefix: [UInt8]) -> Bool {
        if case .supported = ArchiveSignature(of: prefix) { true } else { false }
    }
}
