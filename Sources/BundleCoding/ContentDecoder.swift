import BundleStore

/// Compares coded content with the expected content. Safe to call from any thread.
package enum ContentDecoder {
    /// Whether `coded` decodes to exactly `content`, with nothing after it. Compares piece by piece, in a few megabytes
    /// of memory whatever size `coded` claims to decode to, and stops at the first mismatch.
    ///
    /// Also false for `identity` and for a coding that needs a dictionary.
    package static func decodes(
        _ coded: UnsafeRawBufferPointer,
        to content: UnsafeRawBufferPointer,
        from coding: ContentCoding
    ) -> Bool {
        var comparison = ContentComparison(content)
        let isWhole =
            switch coding {
            case .identity, .dictionaryZstandard: false
            case .gzip: DeflateCoding.decode(coded) { comparison.take($0) }
            case .zstandard: ZstandardCoding.decode(coded) { comparison.take($0) }
            case .brotli: BrotliCoding.decode(coded) { comparison.take($0) }
            }
        return isWhole && comparison.isComplete
    }
}
