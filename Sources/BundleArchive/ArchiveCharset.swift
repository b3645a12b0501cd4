import CIconv

/// The encoding of names that an archive doesn't mark as UTF-8. The raw value is the name for users.
///
/// A value type; safe to share between threads.
public enum ArchiveCharset: String, Hashable, Sendable, CaseIterable {
    /// Simplified Chinese as written by Windows, code page 936, with all of GB 18030.
    case gbk
    /// Japanese as written by Windows, code page 932.
    case shiftJIS = "shift_jis"
    /// The original IBM PC's code page, which zip's specification names for unmarked names (APPNOTE 6.3.10, appendix D).
    case cp437
    /// ISO 8859-1, Western European.
    case latin1

    /// The encoding's name for iconv and libarchive.
    package var iconvName: String {
        switch self {
        case .gbk: "GB18030"
        case .shiftJIS: "CP932"
        case .cp437: "CP437"
        case .latin1: "ISO-8859-1"
        }
    }
}

extension ArchiveCharset: CustomStringConvertible {
    /// The name for users: the same as the raw value.
    public var description: String { rawValue }
}

/// Converts bytes in one charset to text.
///
/// Not `Sendable`: use an instance from one thread at a time.
final class CharsetConverter {
    private let descriptor: iconv_t
    /// In the supported charsets, one byte becomes at most this many bytes of UTF-8.
    private static let growth = 4

    /// Throws `unsupportedFormat` when the system doesn't know `charset`.
    init(from charset: ArchiveCharset) throws(ArchiveError) {
        let descriptor = iconv_open("UTF-8", charset.iconvName)
        guard let descriptor, Int(bitPattern: descriptor) != -1 else {
            throw ArchiveError(
                .unsupportedFormat,
                "has names in \(charset), which this system can't convert",
                advice: "install iconv's charsets (glibc's gconv modules), or repack the archive with UTF-8 names"
            )
        }
        self.descriptor = descriptor
    }

    deinit {
        iconv_close(descriptor)
    }

    /// The text of `bytes`, or nil when they aren't valid in the charset.
    func text(of bytes: UnsafeRawBufferPointer) -> String? {
        iconv(descriptor, nil, nil, nil, nil)
        var input = bytes.map { CChar(bitPattern: $0) }
        var output = [CChar](repeating: 0, count: bytes.count * Self.growth)
        var (inputCount, outputCount) = (input.count, output.count)
        let isConverted = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var (from, into) = (input.baseAddress, output.baseAddress)
                // A number over 0 counts characters that were replaced by similar ones.
                return iconv(descriptor, &from, &inputCount, &into, &outputCount) == 0
            }
        }
        guard isConverted, inputCount == 0 else { return nil }
        return String(validating: output.dropLast(outputCount).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
