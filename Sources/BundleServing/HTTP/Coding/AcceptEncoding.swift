import BundleStore

/// The codings that a client accepts by `Accept-Encoding` (RFC 9110 §12.5.3), the best first.
///
/// Field values that mean the same are equal: a small number represents them, and suits as a key. Parsing one allocates
/// nothing on the heap. A value type; safe to share between threads.
public struct AcceptEncoding: Hashable, Sendable {
    /// Four bits for each coding, its number plus one, the best in the lowest.
    public let number: UInt32

    /// Only the content without a coding: for a request without the field, or with an empty one. Without the field,
    /// §12.5.3 lets a server choose, but clients that don't send it are mostly simple programs that can't decode a
    /// coding.
    public static let identityOnly = AcceptEncoding(number: UInt32(ContentCoding.identity.rawValue) + 1)

    /// Parses a field value. Several lines of the field must be joined with commas.
    ///
    /// A higher weight comes first; of equal weights, which `*` gives to all codings not named, the one that the server
    /// prefers. Malformed members are left out. For a coding that is named twice, the last weight counts.
    public init(_ fieldValue: UnsafeRawBufferPointer) {
        self.init(CodingWeights(fieldValue))
    }

    /// Parses the value of the field; nil when there is none.
    public init(_ fieldValue: String?) {
        guard var fieldValue else {
            self = .identityOnly
            return
        }
        self = fieldValue.withUTF8 { AcceptEncoding(UnsafeRawBufferPointer($0)) }
    }

    /// Whether a client accepts this coding.
    public func accepts(_ coding: ContentCoding) -> Bool { contains(coding) }

    private init(_ weights: CodingWeights) {
        var (weights, order, shift) = (weights, UInt32(0), UInt32(0))
        while let best = weights.removeBest() {
            order |= (UInt32(best.rawValue) + 1) << shift
            shift += 4
        }
        number = order
    }

    private init(number: UInt32) {
        self.number = number
    }
}

extension AcceptEncoding: Sequence {
    /// The codings, the best first.
    public struct Iterator: IteratorProtocol {
        fileprivate var order: UInt32

        /// The next coding, or nil after the last one.
        public mutating func next() -> ContentCoding? {
            defer { order >>= 4 }
            // Zero, which no coding has, ends the list.
            return UInt8(truncatingIfNeeded: order & 15).subtractingOne.flatMap(ContentCoding.init)
        }
    }

    /// Iterates over the codings, the best first.
    public func makeIterator() -> Iterator { Iterator(order: number) }
}

extension UInt8 {
    fileprivate var subtractingOne: UInt8? { self == 0 ? nil : self - 1 }
}
