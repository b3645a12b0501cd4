/// A range of a representation that is stored.
package struct CachedPart: Hashable, Sendable {
    /// The most parts that one response may have: one less than there are numbers, so that there is one for a new part.
    package static let maximumCount = 127

    /// Distinguishes the parts of a response; at most ``maximumCount``.
    let number: UInt8
    /// The position of its first byte in the representation; 0 or more.
    package let offset: Int64
    /// Its length in bytes; 0 or more.
    package let byteCount: Int64
    let digest: Digest
}

/// What is stored of a representation.
package struct CachedPartList: Hashable, Sendable {
    /// The length of the whole representation in bytes; nil when it isn't known.
    package let completeLength: Int64?
    /// In the order in which they were stored.
    package let parts: [CachedPart]

    /// The sum of the lengths.
    var byteCount: Int64 { parts.reduce(0) { $0 + $1.byteCount } }

    /// Whether it is the whole representation in one piece.
    package var isWhole: Bool { parts.count == 1 && parts[0].offset == 0 && parts[0].byteCount == completeLength }

    /// - Parameters:
    ///   - parts: Up to ``CachedPart/maximumCount``.
    ///   - completeLength: The length of the whole representation in bytes; nil when it isn't known.
    package init(_ parts: [CachedPart], of completeLength: Int64?) {
        self.parts = parts
        self.completeLength = completeLength
    }

    /// A part to be added to these.
    package func part(at offset: Int64, _ body: CachedBody) -> CachedPart {
        let numbers = Set(parts.map(\.number))
        return CachedPart(
            number: (0...UInt8(CachedPart.maximumCount)).first { !numbers.contains($0) } ?? 0,
            offset: offset,
            byteCount: Int64(body.content.count),
            digest: body.digest
        )
    }
}

/// Parts that are added to a response, and the list of all that are kept then.
package struct CachedPartChange: Sendable {
    let list: CachedPartList
    let added: [(part: CachedPart, body: CachedBody)]

    package init(_ list: CachedPartList, adding added: [(part: CachedPart, body: CachedBody)]) {
        self.list = list
        self.added = added
    }
}

extension CachedPartList {
    /// Number, offset, length, digest.
    private static let partByteCount = 1 + 8 + 8 + Digest.byteCount
    private static let maximumByteCount: Int64 = 1 << 40
    private static let unknown: Int64 = -1

    /// As a column of the catalog.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(completeLength ?? Self.unknown)
        for part in parts {
            bytes.append(part.number)
            bytes.appendLittleEndian(part.offset)
            bytes.appendLittleEndian(part.byteCount)
            part.digest.withUnsafeBytes { bytes += $0 }
        }
        return bytes
    }

    /// Nil when the bytes aren't what ``encoded`` writes.
    init?(encoded bytes: UnsafeRawBufferPointer) {
        guard let length = bytes.littleEndian(Int64.self, at: 0), (-1...Self.maximumByteCount).contains(length),
            case let rest = bytes.count - 8, rest % Self.partByteCount == 0,
            case let count = rest / Self.partByteCount, (1...CachedPart.maximumCount).contains(count)
        else { return nil }
        let parts = (0..<count).compactMap { Self.part(at: 8 + $0 * Self.partByteCount, of: bytes) }
        guard parts.count == count, Set(parts.map(\.number)).count == count else { return nil }
        self.init(parts, of: length == Self.unknown ? nil : length)
    }

    private static func part(at start: Int, of bytes: UnsafeRawBufferPointer) -> CachedPart? {
        let digest = UnsafeRawBufferPointer(rebasing: bytes[(start + 17)..<(start + partByteCount)])
        let part = CachedPart(
            number: bytes[start],
            offset: bytes.littleEndian(at: start + 1),
            byteCount: bytes.littleEndian(at: start + 9),
            digest: Digest(unchecked: digest)
        )
        let bounds = 0...maximumByteCount
        let isValid =
            part.number <= CachedPart.maximumCount && bounds.contains(part.offset) && bounds.contains(part.byteCount)
        return isValid ? part : nil
    }
}
