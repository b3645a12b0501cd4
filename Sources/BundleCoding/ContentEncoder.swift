import BundleStore

/// Encodes contents in a content coding (RFC 9110 §8.4.1), as small as possible: a content is encoded once and sent
/// often.
///
/// Has no side effects, but takes time: one or two seconds per megabyte. Safe to call from any thread. Besides content
/// and result it needs at most some 200 MB of memory.
package enum ContentEncoder {
    /// Encodes a content.
    ///
    /// - Parameters:
    ///   - content: The bytes to code.
    ///   - coding: The content coding.
    ///   - byteCount: The maximum length of the result.
    ///   - giveWay: Called before each piece of the content, which takes a fraction of a second; gzip has only one. It may
    ///     wait, and ends the encoding by throwing.
    /// - Returns: The coded bytes; nil when they would exceed `byteCount`, when memory runs out, and for `identity` or
    ///   a coding that needs a dictionary.
    /// - Throws: What `giveWay` throws.
    package static func encode(
        _ content: UnsafeRawBufferPointer,
        as coding: ContentCoding,
        within byteCount: Int,
        giveWay: () throws -> Void
    ) rethrows -> [UInt8]? {
        guard byteCount > 0, !content.isEmpty else { return nil }
        let coded = try [UInt8](unsafeUninitializedCapacity: byteCount) { result, count in
            let result = UnsafeMutableRawBufferPointer(result)
            count =
                switch coding {
                case .identity, .dictionaryZstandard: 0
                case .gzip: try DeflateCoding.encode(content, into: result, giveWay)
                case .zstandard: try ZstandardCoding.encode(content, into: result, giveWay)
                case .brotli: try BrotliCoding.encode(content, into: result, giveWay)
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
    ///   - giveWay: As above.
    /// - Returns: The coded bytes; nil when they would exceed `byteCount`, or memory runs out.
    /// - Throws: What `giveWay` throws.
    package static func encode(
        _ content: UnsafeRawBufferPointer,
        from dictionary: UnsafeRawBufferPointer,
        _ digest: Digest,
        within byteCount: Int,
        giveWay: () throws -> Void
    ) rethrows -> [UInt8]? {
        // When the input lies in the dictionary's memory, the library assumes a sliding window and doesn't use the
        // dictionary. Equal contents do share memory.
        if let base = dictionary.baseAddress, base == content.baseAddress {
            return try Array(content).withUnsafeBytes {
                try encode($0, from: dictionary, digest, within: byteCount, giveWay: giveWay)
            }
        }
        let head = DictionaryZstandard.head(digest)
        guard byteCount > head.count, !content.isEmpty else { return nil }
        let coded = try [UInt8](unsafeUninitializedCapacity: byteCount) { result, count in
            let result = UnsafeMutableRawBufferPointer(result)
            result.copyBytes(from: head)
            let rest = UnsafeMutableRawBufferPointer(rebasing: result[head.count...])
            let written = try ZstandardCoding.encode(content, from: dictionary, into: rest, giveWay)
            count = written > 0 ? head.count + written : 0
        }
        return coded.isEmpty ? nil : coded
    }
}

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

/// Compares a content with pieces that arrive one after another.
struct ContentComparison {
    private var rest: UnsafeRawBufferPointer

    init(_ content: UnsafeRawBufferPointer) {
        rest = content
    }

    /// Whether the whole content has arrived.
    var isComplete: Bool { rest.isEmpty }

    /// Returns whether the piece matches the next bytes of the content.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= rest.count, rest.prefix(piece.count).elementsEqual(piece) else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
        return true
    }
}
