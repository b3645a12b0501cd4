/// The signatures of video containers that no fixed pattern can match (WHATWG MIME Sniffing §6.2.1 and §6.2.2).
enum MediaSignature {
    /// §6.2.1: an `ftyp` box, one of whose brands starts with `mp4`.
    static func isMP4(_ header: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard header.count >= 12 else { return false }
        let bytes = UnsafeRawBufferPointer(rebasing: header)
        let boxSize = Int(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
        guard boxSize <= bytes.count, boxSize.isMultiple(of: 4), bytes[4..<8].elementsEqual("ftyp".utf8)
        else { return false }
        // Bytes 12 to 15 are the major brand's version, not a brand.
        let brands = [8] + Array(stride(from: 16, to: boxSize, by: 4))
        return brands.contains { bytes[$0..<$0 + 3].elementsEqual("mp4".utf8) }
    }

    /// §6.2.2: an EBML header whose document type is `webm`.
    static func isWebM(_ header: Slice<UnsafeRawBufferPointer>) -> Bool {
        let bytes = UnsafeRawBufferPointer(rebasing: header)
        guard bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) else { return false }
        for index in 4..<max(4, min(38, bytes.count - 2)) where bytes[index] == 0x42 && bytes[index + 1] == 0x82 {
            let element = bytes[(index + 2)...]
            if documentType(in: element)?.elementsEqual("webm".utf8) == true { return true }
        }
        return false
    }

    /// The content of an EBML element that starts at its size, without the zeros it may be padded with.
    private static func documentType(in element: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        guard let first = element.first, first != 0 else { return nil }
        // The leading zero bits give the length of the size (RFC 8794 §4).
        let width = first.leadingZeroBitCount + 1
        let content = element.dropFirst(width)
        let size = element.prefix(width).dropFirst().reduce(UInt64(first) & (0xFF >> UInt64(width))) {
            $0 << 8 | UInt64($1)
        }
        guard size <= UInt64(content.count) else { return nil }
        return content.prefix(Int(size)).drop { $0 == 0 }
    }
}
