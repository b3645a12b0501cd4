/// Reads the tokens of a ``Glob``.
struct GlobParser {
    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let backslash = UInt8(ascii: "\\")

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: some Collection<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Nil for a malformed pattern.
    mutating func parse() -> [Glob.Token]? {
        var tokens: [Glob.Token] = []
        while let byte = next() {
            switch byte {
            case Self.star: tokens.append(stars())
            case UInt8(ascii: "?"): tokens.append(.oneOf(Self.inOneName))
            case UInt8(ascii: "["):
                guard let set = set() else { return nil }
                tokens.append(.oneOf(set))
            case Self.backslash:
                guard let literal = next() else { return nil }
                tokens.append(.oneOf(ByteSet { $0 == literal }))
            default: tokens.append(.oneOf(ByteSet { $0 == byte }))
            }
        }
        return tokens
    }

    private static let inOneName = ByteSet { $0 != slash }

    private var upcoming: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() -> UInt8? {
        guard let upcoming else { return nil }
        position += 1
        return upcoming
    }

    /// What follows a star that was read: two or more stand for folders where they are a whole name.
    private mutating func stars() -> Glob.Token {
        let start = position - 1
        while upcoming == Self.star { position += 1 }
        let isWholeName =
            (start == 0 || bytes[start - 1] == Self.slash) && (upcoming == nil || upcoming == Self.slash)
        guard position - start > 1, isWholeName else { return .run }
        return .folders(beforeSlash: upcoming == Self.slash)
    }

    /// The set whose `[` was read; nil when it isn't closed, or has a class that doesn't exist.
    private mutating func set() -> ByteSet? {
        var members = ByteSet()
        let isInverted = upcoming == UInt8(ascii: "!") || upcoming == UInt8(ascii: "^")
        if isInverted { position += 1 }
        let start = position
        /// What a range may begin with.
        var previous: UInt8?
        while let byte = next() {
            if byte == UInt8(ascii: "]"), position - 1 > start { return Self.set(members, isInverted) }
            if byte == UInt8(ascii: "["), upcoming == UInt8(ascii: ":"), let name = className() {
                guard let named = Self.classes[name] else { return nil }
                members.formUnion(named)
                previous = nil
            } else if byte == UInt8(ascii: "-"), let lower = previous, let upper = rangeEnd() {
                members.formUnion(ByteSet { lower <= $0 && $0 <= upper })
                previous = nil
            } else {
                guard let literal = byte == Self.backslash ? next() : byte else { return nil }
                members.insert(literal)
                previous = literal
            }
        }
        return nil
    }

    private static func set(_ members: ByteSet, _ isInverted: Bool) -> ByteSet {
        var set = isInverted ? members.inverted : members
        // Slashes separate names, and no set has them.
        set.remove(slash)
        return set
    }

    /// The end of a range whose hyphen was read; nil when the hyphen stands for itself.
    private mutating func rangeEnd() -> UInt8? {
        guard let end = upcoming, end != UInt8(ascii: "]") else { return nil }
        position += 1
        return end == Self.backslash ? next() : end
    }

    /// The name of a class, such as `[:alpha:]`, whose `[` was read; nil when it isn't one.
    private mutating func className() -> String? {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")), end > position + 1,
            bytes[end - 1] == UInt8(ascii: ":")
        else { return nil }
        let name = String(decoding: bytes[(position + 1)..<(end - 1)], as: UTF8.self)
        position = end + 1
        return name
    }

    /// POSIX's character classes in the locale “C” (POSIX.1-2024, 9.3.5).
    private static let classes: [String: ByteSet] = {
        let digit = ByteSet { 0x30...0x39 ~= $0 }
        let upper = ByteSet { 0x41...0x5A ~= $0 }
        let lower = ByteSet { 0x61...0x7A ~= $0 }
        let alpha = ByteSet { upper.contains($0) || lower.contains($0) }
        let alnum = ByteSet { alpha.contains($0) || digit.contains($0) }
        let graph = ByteSet { 0x21...0x7E ~= $0 }
        return [
            "alnum": alnum, "alpha": alpha, "digit": digit, "graph": graph, "lower": lower, "upper": upper,
            "blank": ByteSet { $0 == 0x20 || $0 == 0x09 },
            "cntrl": ByteSet { $0 < 0x20 || $0 == 0x7F },
            "print": ByteSet { 0x20...0x7E ~= $0 },
            "punct": ByteSet { graph.contains($0) && !alnum.contains($0) },
            "space": ByteSet { $0 == 0x20 || 0x09...0x0D ~= $0 },
            "xdigit": ByteSet { digit.contains($0) || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 },
        ]
    }()
}
