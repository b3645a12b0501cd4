/// A pattern of a gitignore file, without its slashes at the ends, as git's `wildmatch.c` reads it.
///
/// Matching takes time proportional to the pattern's length times the text's, whatever they are.
struct Glob: Hashable, Sendable {
    enum Token: Hashable {
        /// One of these bytes.
        case oneOf(ByteSet)
        /// Any bytes but slashes, also none.
        case run
        /// Any bytes, also none. When a slash follows, both may be missing.
        case folders(beforeSlash: Bool)
    }

    private let tokens: [Token]

    /// Returns nil for a malformed pattern: one that ends in a backslash, or in a set that isn't closed.
    init?(_ pattern: some Collection<UInt8>) {
        var parser = GlobParser(pattern)
        guard let tokens = parser.parse() else { return nil }
        self.tokens = tokens
    }

    /// Whether the pattern covers the whole text.
    func matches(_ text: some BidirectionalCollection<UInt8>) -> Bool {
        // Most patterns have an end that few names have.
        if case .oneOf(let ends)? = tokens.last, !(text.last.map(ends.contains) ?? false) { return false }
        let count = tokens.count + 1
        return withUnsafeTemporaryAllocation(of: Bool.self, capacity: 2 * count) { memory in
            memory.initialize(repeating: false)
            // The positions in the pattern that the text so far may have led to, and those that one more byte leads to.
            var positions = Positions(rebasing: memory[..<count])
            var next = Positions(rebasing: memory[count...])
            reach(0, positions)
            for byte in text {
                guard advance(positions, by: byte, to: next) else { return false }
                swap(&positions, &next)
                next.update(repeating: false)
            }
            return positions[tokens.count]
        }
    }

    private typealias Positions = UnsafeMutableBufferPointer<Bool>

    /// Returns whether a position was reached.
    private func advance(_ positions: Positions, by byte: UInt8, to next: Positions) -> Bool {
        var isAlive = false
        for index in tokens.indices where positions[index] {
            switch tokens[index] {
            case .oneOf(let set):
                guard set.contains(byte) else { continue }
                reach(index + 1, next)
            case .run:
                guard byte != UInt8(ascii: "/") else { continue }
                reach(index, next)
            case .folders:
                // Not by reach(): what has been taken must end in a slash.
                next[index] = true
                reach(index + 1, next)
            }
            isAlive = true
        }
        return isAlive
    }

    /// Adds a position, and those that no further byte leads to.
    private func reach(_ position: Int, _ positions: Positions) {
        guard !positions[position] else { return }
        positions[position] = true
        guard position < tokens.count else { return }
        switch tokens[position] {
        case .oneOf: break
        case .run: reach(position + 1, positions)
        case .folders(let isBeforeSlash):
            reach(position + 1, positions)
            if isBeforeSlash { reach(position + 2, positions) }
        }
    }
}

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

/// A set of bytes.
struct ByteSet: Hashable, Sendable {
    private var bits = SIMD4<UInt64>()

    /// Creates an empty set.
    init() {}

    /// Creates a set of the bytes that fulfil a condition.
    init(where isMember: (UInt8) -> Bool) {
        for byte in UInt8.min...UInt8.max where isMember(byte) { insert(byte) }
    }

    /// All bytes that aren't in this set.
    var inverted: ByteSet { ByteSet { !contains($0) } }

    func contains(_ byte: UInt8) -> Bool { bits[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0 }

    mutating func insert(_ byte: UInt8) { bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    mutating func remove(_ byte: UInt8) { bits[Int(byte >> 6)] &= ~(1 << UInt64(byte & 63)) }

    mutating func formUnion(_ other: ByteSet) { bits |= other.bits }
}
