import BundleStore

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
