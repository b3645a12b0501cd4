/// One requested range in the unit `bytes` (RFC 9110 §14.1.2).
public enum ByteRange: Hashable, Sendable {
    /// From an offset through the offset of the last byte, which is included; nil for the end.
    case from(Int, through: Int?)
    /// This many bytes before the end.
    case suffix(Int)

    /// The offsets of this range in content of `length` bytes.
    ///
    /// - Returns: nil when the range can't be satisfied: it starts after the end, or is a suffix of no bytes. A suffix
    ///   of empty content is satisfiable and empty.
    public func resolved(in length: Int) -> Range<Int>? {
        switch self {
        case .from(let first, through: let last):
            guard first >= 0, first < length, first <= last ?? .max else { return nil }
            return first..<min(last ?? .max, length - 1) + 1
        case .suffix(let count):
            guard count > 0, length >= 0 else { return nil }
            return max(0, length - count)..<length
        }
    }
}
