import BundleStore

/// What `Accept-Encoding` (RFC 9110 §12.5.3) comes to: the codings that a client takes, the best first.
///
/// Fields that are written differently and mean the same are equal: a small number stands for them, good for a key. Reading
/// one takes nothing from the heap. A value type; safe to share between threads.
public struct AcceptEncoding: Hashable, Sendable {
    /// Four bits for each coding, its number plus one, the best in the lowest: equal for equal fields.
    public let number: UInt32

    /// The content as it is and nothing else: what a request without the field, or with an empty one, gets. §12.5.3 lets
    /// a server choose when there is no field; who doesn't send it, mostly a simple program, can't undo a coding.
    public static let identityOnly = AcceptEncoding(number: UInt32(ContentCoding.identity.rawValue) + 1)

    /// Reads a field value. Several lines of the field are to be joined with commas.
    ///
    /// A higher weight comes first; of equal weights, which `*` gives to what isn't named, the coding that is preferred
    /// here. A member that is malformed is left out. Of a coding that is named twice the last weight counts.
    public init(_ fieldValue: UnsafeRawBufferPointer) {
        self.init(CodingWeights(fieldValue))
    }

    /// Reads the value of the field, if there is one.
    public init(_ fieldValue: String?) {
        guard var fieldValue else {
            self = .identityOnly
            return
        }
        self = fieldValue.withUTF8 { AcceptEncoding(UnsafeRawBufferPointer($0)) }
    }

    /// Whether a client takes this coding.
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

        /// The next coding, or nil behind the last one.
        public mutating func next() -> ContentCoding? {
            defer { order >>= 4 }
            // Zero, which no coding has, ends the list.
            return UInt8(truncatingIfNeeded: order & 15).subtractingOne.flatMap(ContentCoding.init)
        }
    }

    /// Goes through the codings, the best first.
    public func makeIterator() -> Iterator { Iterator(order: number) }
}

extension UInt8 {
    fileprivate var subtractingOne: UInt8? { self == 0 ? nil : self - 1 }
}
