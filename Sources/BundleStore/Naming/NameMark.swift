/// What a version index says of a file's name: whether its content never changes under it, and where in the path the
/// hash is. Takes four bytes; zeros for a name that says nothing.
struct NameMark: Equatable {
    /// The mark of a name under which the content may change.
    static let none = NameMark(nil, hash: nil)

    /// Why the content never changes; nil when it may.
    let immutability: Immutability?
    /// Where in the path the hash is; nil when it isn't known.
    let hash: Range<Int>?

    init(_ immutability: Immutability?, hash: Range<Int>?) {
        self.immutability = immutability
        self.hash = immutability == nil ? nil : hash
    }

    /// Reads the mark of a path of `pathByteCount` bytes. Of a damaged one nothing counts.
    init(_ encoded: UInt32, pathByteCount: Int) {
        let start = Int(encoded & 0xFFFF)
        let end = start + Int(encoded >> 16 & 0xFF)
        self.init(
            end <= pathByteCount ? Immutability(rawValue: UInt8(encoded >> 24)) : nil,
            hash: end > start ? start..<end : nil
        )
    }

    /// The offset of the hash in the lower two bytes, its length in the third, the reason in the highest.
    var encoded: UInt32 {
        guard let immutability else { return 0 }
        let reason = UInt32(immutability.rawValue) << 24
        guard let hash, hash.lowerBound <= UInt16.max, hash.count <= UInt8.max else { return reason }
        return reason | UInt32(hash.count) << 16 | UInt32(hash.lowerBound)
    }
}
