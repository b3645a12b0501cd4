import BundleStore

/// The content coding `dcz` (RFC 9842 §5): a head that names the dictionary, then a Zstandard frame.
enum DictionaryZstandard {
    /// The head: that of a Zstandard frame to be skipped, with 32 bytes in it.
    static func head(_ dictionary: Digest) -> [UInt8] {
        dictionary.withUnsafeBytes { [0x5E, 0x2A, 0x4D, 0x18, 0x20, 0, 0, 0] + Array($0) }
    }

    /// The largest window in powers of two that a decoder has to have for a dictionary of this length: 8 MB, or one and a
    /// quarter of the dictionary if that is more, but never over 128 MB (§5).
    static func maximumWindowLog(dictionaryByteCount: Int) -> Int32 {
        let byteCount = min(max(8 << 20, min(dictionaryByteCount, 128 << 20) / 4 * 5), 128 << 20)
        return Int32(Int.bitWidth - 1 - byteCount.leadingZeroBitCount)
    }
}
