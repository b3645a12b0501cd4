/// The supported compression methods.
enum ZipMethod {
    /// Not compressed.
    case stored
    /// Deflate (RFC 1951), as in nearly every zip.
    case deflated

    /// The number that stands for AES, with the actual method in an extra field.
    private static let aes: UInt16 = 99
    /// APPNOTE 6.3.10, section 4.4.5.
    private static let names: [UInt16: String] = [
        1: "Shrink", 2: "Reduce", 3: "Reduce", 4: "Reduce", 5: "Reduce", 6: "Implode", 9: "Deflate64",
        10: "PKWARE Implode", 12: "bzip2", 14: "LZMA", 16: "IBM CMPSC", 18: "IBM TERSE", 19: "IBM LZ77",
        20: "Zstandard", 93: "Zstandard", 94: "MP3", 95: "XZ", 96: "JPEG", 97: "WavPack", 98: "PPMd",
    ]

    /// The method with this number.
    init(_ number: UInt16) throws(ArchiveError) {
        switch number {
        case 0: self = .stored
        case 8: self = .deflated
        case Self.aes: throw .encrypted
        default:
            let name = Self.names[number] ?? "an unknown method"
            throw ArchiveError(
                .unsupportedFormat,
                "is compressed with \(name) (method \(number)), which isn't supported",
                advice: "repack it with deflate, the usual method"
            )
        }
    }
}
