import BundleStore

/// The content coding `dcz` (RFC 9842 §5): a header that names the dictionary, then a Zstandard frame.
enum DictionaryZstandard {
    /// The header: a skippable Zstandard frame with 32 bytes of content.
    static func head(_ dictionary: Digest) -> [UInt8] {
        dictionary.withUnsafeBytes { [0x5E, 0x2A, 0x4D, 0x18, 0x20, 0, 0, 0] + Array($0) }
    }

    /// The largest window (log2) that a decoder must support for a dictionary of this length: 8 MB, or 1.25 times the
    /// dictionary if that is more, but never over 128 MB (§5).
    static func maximumWindowLog(dictionaryByteCount: Int) -> Int32 {
        let byteCount = min(max(8 << 20, min(dictionaryByteCount, 128 << 20) / 4 * 5), 128 << 20)
        return Int32(Int.bitWidth - 1 - byteCount.leadingZeroBitCount)
    }
}
