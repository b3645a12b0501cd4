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

/// The weights that a field gives to the codings, in thousandths; those of codings that it doesn't name follow from the
/// others.
struct CodingWeights {
    // A vector, since an array would be on the heap. Negative: not named.
    private var weights = SIMD8<Int16>(repeating: -1)
    private var wildcard: Int16 = -1

    init(_ fieldValue: UnsafeRawBufferPointer) {
        var rest = fieldValue[...]
        while let member = Self.takeMember(&rest) { read(member) }
        for coding in ContentCoding.allCases where self[coding] < 0 { self[coding] = unnamedWeight(of: coding) }
    }

    /// Removes the acceptable coding with the highest weight, the preferred one of several; nil when none is left.
    mutating func removeBest() -> ContentCoding? {
        var best: ContentCoding?
        for coding in ContentCoding.byPreference where self[coding] > best.map({ self[$0] }) ?? 0 {
            best = coding
        }
        if let best { self[best] = 0 }
        return best
    }

    private subscript(coding: ContentCoding) -> Int16 {
        get { weights[Int(coding.rawValue)] }
        set { weights[Int(coding.rawValue)] = newValue }
    }

    /// `identity` is acceptable even if it isn't named (RFC 9110 §12.5.3), but comes after all that are. Deltas must be
    /// named: a client says that it accepts them (RFC 9842 §6.1).
    private func unnamedWeight(of coding: ContentCoding) -> Int16 {
        if coding == .dictionaryZstandard { return 0 }
        if wildcard >= 0 { return wildcard }
        return coding == .identity ? 1 : 0
    }

    /// `coding` or `coding;q=weight`.
    private mutating func read(_ member: Slice<UnsafeRawBufferPointer>) {
        let semicolon = member.firstIndex(of: UInt8(ascii: ";"))
        let name = UnsafeRawBufferPointer(rebasing: member[..<(semicolon ?? member.endIndex)].trimmingBlanks)
        var weight = 1_000
        if let semicolon {
            let parameter = member[(semicolon + 1)...].trimmingBlanks
            guard let value = QualityValue.thousandths(of: parameter.dropFirst(2)),
                UnsafeRawBufferPointer(rebasing: parameter.prefix(2)).isName("q=")
            else { return }
            weight = value
        }
        if name.isName("*") { wildcard = Int16(weight) }
        if let coding = Self.coding(name) { self[coding] = Int16(weight) }
    }

    private static func coding(_ name: UnsafeRawBufferPointer) -> ContentCoding? {
        if name.isName("br") { return .brotli }
        // The names with “x-” are the older ones (§8.4.1.3).
        if name.isName("gzip") || name.isName("x-gzip") { return .gzip }
        if name.isName("zstd") { return .zstandard }
        if name.isName("dcz") { return .dictionaryZstandard }
        return name.isName("identity") ? .identity : nil
    }

    private static func takeMember(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        guard !rest.isEmpty else { return nil }
        let comma = rest.firstIndex(of: UInt8(ascii: ","))
        let member = rest[..<(comma ?? rest.endIndex)]
        rest = rest[(comma.map { $0 + 1 } ?? rest.endIndex)...]
        return member
    }
}
