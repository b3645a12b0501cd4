/// Tests in one pass, without allocating, whether bytes are UTF-8, and whether they are certainly in Unicode
/// normalisation form C (UAX #15 §9, quick check).
enum NormalisationCheck {
    /// What the pass found.
    enum Result {
        /// Not UTF-8.
        case invalid
        /// In normalisation form C.
        case normal
        /// Must be normalised with the full tables.
        case unknown
    }

    static func result(for bytes: UnsafeRawBufferPointer) -> Result {
        if !bytes.contains(where: { $0 >= 0x80 }) { return .normal }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var isNormal = true
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded): isNormal = isNormal && isInert(Unicode.UTF8.decode(encoded))
            case .emptyInput: return isNormal ? .normal : .unknown
            case .error: return .invalid
            }
        }
    }

    /// Whether a character stays unchanged next to any other such character: Latin, Japanese kana, Chinese and Korean
    /// letters, and no marks that compose with preceding characters.
    private static func isInert(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, 0x3041...0x3098, 0x309B...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }
}
