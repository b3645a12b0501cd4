import BundleStore

/// Puts contents into a content coding (RFC 9110 §8.4.1), as small as it gets: it is done once, and sent often.
///
/// Pure but for the time it takes: a second or two for a megabyte. Safe to call from any thread. It needs, beside content and
/// result, at most some 100 MB of memory.
public enum ContentEncoder {
    /// Codes a content.
    ///
    /// - Parameter byteCount: The most bytes that the result may have.
    /// - Returns: The coded bytes; nil when there would be more of them, when memory runs out, and for a coding that isn't one
    ///   or needs a dictionary.
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
                case .identity, .dictionaryZstandard: 0
                case .gzip: DeflateCoding.encode(content, into: result)
                case .zstandard: ZstandardCoding.encode(content, into: result)
                case .brotli: BrotliCoding.encode(content, into: result)
                }
        }
        return coded.isEmpty ? nil : coded
    }

    /// Codes a content by what it has in common with a dictionary (RFC 9842 §5, `dcz`).
    ///
    /// - Parameters:
    ///   - dictionary: What the client has.
    ///   - digest: SHA-256 of the dictionary.
    ///   - byteCount: The most bytes that the result may have.
    /// - Returns: The coded bytes; nil when there would be more of them, or memory runs out.
    public static func encode(
        _ content: UnsafeRawBufferPointer,
        from dictionary: UnsafeRawBufferPointer,
        _ digest: Digest,
        within byteCount: Int
    ) -> [UInt8]? {
        // The library takes input that lies where the dictionary does for a window that runs over itself, and gives up what
        // they have in common. Equal contents do lie in one place.
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
