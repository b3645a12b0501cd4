import BundleStore

/// Encodes contents in a content coding (RFC 9110 §8.4.1), as small as possible: a content is encoded once and sent
/// often.
///
/// Has no side effects, but takes time: one or two seconds per megabyte. Safe to call from any thread. Besides content
/// and result it needs at most some 100 MB of memory.
package enum ContentEncoder {
    /// Encodes a content.
    ///
    /// - Parameters:
    ///   - content: The bytes to code.
    ///   - coding: The content coding.
    ///   - byteCount: The maximum length of the result.
    /// - Returns: The coded bytes; nil when they would exceed `byteCount`, when memory runs out, and for `identity` or
    ///   a coding that needs a dictionary.
    package static func encode(
        _ content: UnsafeRawBufferPointer,
        as coding: ContentCoding,
        within byteCount: Int
    ) -> [UInt8]? {
        guard byteCount > 0, !content.isEmpty else { return nil }
        let coded = [UInt8](unsafeUninitializedCapacity: byteCount) { result, count in
            let result = UnsafeMutableRawBufferPointer(result)
            count =
                switch coding {
                case .identity, .dictionaryZstandard: 0
                case .gzip: DeflateCoding.encode(content, into: result)
                case .zstandard: ZstandardCoding.encode(content, into: result)
                case .brotli: BrotliCoding.encode(content, into: result)
                }
        }
        return coded.isEmpty ? nil : coded
    }

    /// Encodes a content as a delta against a dictionary (RFC 9842 §5, `dcz`).
    ///
    /// - Parameters:
    ///   - content: The bytes to code.
    ///   - dictionary: The content that the client has.
    ///   - digest: SHA-256 of the dictionary.
    ///   - byteCount: The maximum length of the result.
    /// - Returns: The coded bytes; nil when they would exceed `byteCount`, or memory runs out.
    package static func encode(
        _ content: UnsafeRawBufferPointer,
        from dictionary: UnsafeRawBufferPointer,
        _ digest: Digest,
        within byteCount: Int
    ) -> [UInt8]? {
        // When the input lies in the dictionary's memory, the library assumes a sliding window and doesn't use the
        // dictionary. Equal contents do share memory.
        if let base = dictionary.baseAddress, base == content.baseAddress {
            return Array(content).withUnsafeBytes { encode($0, from: dictionary, digest, within: byteCount) }
        }
        let head = DictionaryZstandard.head(digest)
        guard byteCount > head.count, !content.isEmpty else { return nil }
        let coded = [UInt8](unsafeUninitializedCapacity: byteCount) { result, count in
            let result = UnsafeMutableRawBufferPointer(result)
            result.copyBytes(from: head)
            let rest = UnsafeMutableRawBufferPointer(rebasing: result[head.count...])
            let written = ZstandardCoding.encode(content, from: dictionary, into: rest)
            count = written > 0 ? head.count + written : 0
        }
        return coded.isEmpty ? nil : coded
    }
}
