import BundleStore

/// Puts contents into a content coding (RFC 9110 §8.4.1), as small as it gets: it is done once, and sent often.
///
/// Pure but for the time it takes: a second or two for a megabyte. Safe to call from any thread. It needs, beside content and
/// result, at most some 100 MB of memory.
public enum ContentEncoder {
    /// Codes a content.
    ///
    /// - Parameter byteCount: The most bytes that the result may have.
    /// - Returns: The coded bytes; nil when there would be more of them, for `identity`, and when memory runs out.
    public static func encode(
        _ content: UnsafeRawBufferPointer,
        as coding: ContentCoding,
        within byteCount: Int
    ) -> [UInt8]? {
        guard byteCount > 0, !content.isEmpty else { return nil }
        let coded = [UInt8](unsafeUninitializedCapacity: byteCount) { result, count in
            let result = UnsafeMutableRawBufferPointer(result)
            count =
                switch coding {
                case .identity: 0
                case .gzip: DeflateCoding.encode(content, into: result)
                case .zstandard: ZstandardCoding.encode(content, into: result)
                case .brotli: BrotliCoding.encode(content, into: result)
                }
        }
        return coded.isEmpty ? nil : coded
    }
}
