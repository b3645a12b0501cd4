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
    var iconvName: String {
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
