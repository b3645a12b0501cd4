import BundleStore

/// Compares coded content with what it should be. Safe to call from any thread.
public enum ContentDecoder {
    /// Whether `coded` is `content` in a coding, exactly and to its end. Goes through both piece by piece, in a few megabytes
    /// of memory whatever `coded` claims to become, and stops at the first difference.
    ///
    /// False for `identity` too, and for a coding that needs a dictionary.
    public static func decodes(
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
