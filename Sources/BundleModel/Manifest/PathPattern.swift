import Foundation

/// A pattern for paths in a bundle, for example `/assets/*.js` or `/docs/**`.
///
/// It starts with `/` and is compared with the whole path, component by component. `*` stands for any characters within
/// one component, including none; `**` as a whole component stands for any number of components, including none, so
/// `/**` covers every file. Everything else matches literally and case-sensitively, in Unicode normalisation form C;
/// nothing is percent-decoded.
///
/// A value type; safe to share between threads.
public struct PathPattern: Hashable, Sendable {
    /// The maximum length of a pattern in bytes of UTF-8.
    public static let maximumByteCount = 1_024
    /// The pattern that covers every path: `/**`.
    public static let everything = PathPattern(string: "/**", runs: [[], []])
    /// The pattern that covers the root alone, which no file has as its path.
    static let root = PathPattern(string: "/", runs: [[]])

    /// The pattern as text.
    public let string: String

    /// The components before, between and after each `**`; all components if there is none.
    let runs: [[Wildcard]]

    /// Returns nil when `string` doesn't start with `/`; has an empty, `.` or `..` component, a control character or a
    /// backslash, or `**` next to something else in a component; or has over 1,024 bytes or 64 components.
    public init?(_ string: String) {
        let normalised = string.precomposedStringWithCanonicalMapping
        guard normalised.utf8.first == UInt8(ascii: "/"), normalised.utf8.count <= PathPattern.maximumByteCount,
            // Without its slash a pattern follows the rules of a path, in which `*` is an ordinary character.
            let path = try? BundlePath(String(Substring(normalised.utf8.dropFirst())))
        else { return nil }
        var runs: [[Wildcard]] = [[]]
        for component in path.components {
            if component.utf8.elementsEqual("**".utf8) {
                runs.append([])
            } else {
                guard let wildcard = Wildcard(component) else { return nil }
                runs[runs.count - 1].append(wildcard)
            }
        }
        self.init(string: normalised, runs: runs)
    }

    private init(string: String, runs: [[Wildcard]]) {
        self.string = string
        self.runs = runs
    }

    /// Equal if the texts are equal.
    public static func == (left: PathPattern, right: PathPattern) -> Bool { left.string == right.string }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(string) }

    /// Whether the pattern covers `path`. For any pattern, takes time proportional to the path's length times the
    /// number of components between two `**`.
    public func matches(_ path: BundlePath) -> Bool {
        path.withComponents { covers($0) }
    }

    /// The only path that the pattern covers; nil when it has a wildcard.
    var onlyPath: String? {
        let isLiteral = runs.count == 1 && runs[0].allSatisfy { $0.isLiteral }
        return isLiteral ? String(Substring(string.utf8.dropFirst())) : nil
    }

    /// Whether the pattern covers the path with these components.
    ///
    /// Each run of components is matched at its first occurrence, which leaves the most to the following ones.
    func covers<Bytes: RandomAccessCollection<UInt8>>(_ components: [Bytes]) -> Bool where Bytes.SubSequence == Bytes {
        covers(components) { _ in }
    }

    /// The same.
    ///
    /// - Parameter found: Called with the first component's position of each run, in order; of no use when the result is
    ///   false.
    func covers<Bytes: RandomAccessCollection<UInt8>>(
        _ components: [Bytes],
        found: (_ start: Int) -> Void
    ) -> Bool where Bytes.SubSequence == Bytes {
        guard let first = runs.first, let last = runs.last else { return false }
        found(0)
        guard runs.count > 1 else { return first.count == components.count && Self.matches(first, components[...]) }
        guard first.count + last.count <= components.count,
            Self.matches(first, components.prefix(first.count)), Self.matches(last, components.suffix(last.count))
        else { return false }
        var rest = components.dropFirst(first.count).dropLast(last.count)
        for run in runs.dropFirst().dropLast() {
            guard let end = Self.end(of: run, in: rest) else { return false }
            found(end - run.count)
            rest = rest[end...]
        }
        found(components.count - last.count)
        return true
    }

    /// The end of the run's first occurrence in `components`, or nil.
    private static func end<Bytes: RandomAccessCollection<UInt8>>(
        of run: [Wildcard],
        in components: ArraySlice<Bytes>
    ) -> Int? where Bytes.SubSequence == Bytes {
        guard run.count <= components.count else { return nil }
        let starts = components.startIndex...components.endIndex - run.count
        return starts.first { matches(run, components[$0..<$0 + run.count]) }.map { $0 + run.count }
    }

    /// Whether each component matches its wildcard; their numbers must be equal.
    private static func matches<Bytes: RandomAccessCollection<UInt8>>(
        _ run: [Wildcard],
        _ components: ArraySlice<Bytes>
    ) -> Bool where Bytes.SubSequence == Bytes {
        zip(run, components).allSatisfy { $0.matches($1) }
    }
}

extension PathPattern: Comparable {
    /// Orders from the general to the specific: fewer literal bytes first, then more wildcards, then by the bytes of UTF-8.
    public static func < (left: PathPattern, right: PathPattern) -> Bool {
        let (mine, other) = (left.specificity, right.specificity)
        return mine == other ? left.string.utf8.lexicographicallyPrecedes(right.string.utf8) : mine < other
    }

    private var specificity: (literals: Int, wildcards: Int) {
        let wildcards = string.utf8.count { $0 == UInt8(ascii: "*") }
        let slashes = string.utf8.count { $0 == UInt8(ascii: "/") }
        return (string.utf8.count - wildcards - slashes, -wildcards)
    }
}

extension PathPattern: CustomStringConvertible {
    /// The same as ``string``.
    public var description: String { string }
}

/// A pattern for one path component, in which `*` stands for any characters, including none.
struct Wildcard: Sendable {
    private static let star = UInt8(ascii: "*")

    /// The text before, between and after the stars; without a star, one literal.
    let literals: [Literal]

    /// Returns nil when two stars are adjacent.
    init?(_ text: Substring) {
        literals = text.utf8.split(separator: Self.star, omittingEmptySubsequences: false).map { Literal(Array($0)) }
        guard literals.dropFirst().dropLast().allSatisfy({ $0.byteCount > 0 }) else { return nil }
    }

    /// Whether it contains no star.
    var isLiteral: Bool { literals.count == 1 }

    /// Whether the whole of `component` matches. For any pattern, reads each of its bytes at most once.
    ///
    /// Each literal is matched at its first occurrence, which leaves the most to the following ones.
    func matches<Bytes: RandomAccessCollection<UInt8>>(_ component: Bytes) -> Bool where Bytes.SubSequence == Bytes {
        guard let first = literals.first, let last = literals.last else { return false }
        guard literals.count > 1 else { return first.byteCount == component.count && first.starts(component) }
        guard first.byteCount + last.byteCount <= component.count,
            first.starts(component), last.starts(component.suffix(last.byteCount))
        else { return false }
        var rest = component.dropFirst(first.byteCount).dropLast(last.byteCount)
        for literal in literals.dropFirst().dropLast() {
            guard let end = literal.end(in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }
}

/// Bytes to search for in linear time in any subject (Knuth, Morris and Pratt, “Fast Pattern Matching in Strings”,
/// 1977).
struct Literal: Sendable {
    let bytes: [UInt8]
    /// For each prefix the length of its longest border: the longest shorter prefix that it also ends with.
    private let borders: [Int16]

    /// - Parameter bytes: A part of a path component, so at most 255 bytes.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var borders: [Int16] = []
        var length = 0
        for (index, byte) in bytes.enumerated() {
            while index > 0, length > 0, bytes[length] != byte { length = Int(borders[length - 1]) }
            if index > 0, bytes[length] == byte { length += 1 }
            borders.append(Int16(truncatingIfNeeded: length))
        }
        self.borders = borders
    }

    var byteCount: Int { bytes.count }

    /// Whether `subject` starts with the bytes.
    func starts(_ subject: some Collection<UInt8>) -> Bool { subject.starts(with: bytes) }

    /// The end of the first occurrence in `subject`, or nil. Reads each byte of `subject` at most once.
    func end<Bytes: Collection<UInt8>>(in subject: Bytes) -> Bytes.Index? {
        var length = 0
        for index in subject.indices {
            let byte = subject[index]
            while length > 0, bytes[length] != byte { length = Int(borders[length - 1]) }
            if bytes[length] == byte { length += 1 }
            if length == bytes.count { return subject.index(after: index) }
        }
        return nil
    }
}

/// Patterns that are matched together: those without a wildcard are found by a look-up of the path, whatever their
/// number; for the others the path is split once.
struct PathPatternSet: Equatable, Sendable {
    /// How many bytes are compared in a few microseconds.
    private static let quickComparisonCount = 16_384

    private let patterns: [PathPattern]
    /// The positions of the patterns without a wildcard, by the path that they cover.
    private let literals: [String: [Int]]
    /// The positions of the patterns with a wildcard.
    private let wildcards: [Int]
    private let coversEverything: Bool
    /// The total length of the patterns with a wildcard, in bytes.
    private let wildcardByteCount: Int

    init(_ patterns: [PathPattern]) {
        self.patterns = patterns
        var (literals, wildcards): ([String: [Int]], [Int]) = ([:], [])
        for (index, pattern) in patterns.enumerated() {
            if let path = pattern.onlyPath {
                literals[path, default: []].append(index)
            } else {
                wildcards.append(index)
            }
        }
        self.literals = literals
        self.wildcards = wildcards
        coversEverything = patterns.contains(.everything)
        wildcardByteCount = wildcards.reduce(0) { $0 + patterns[$1].string.utf8.count }
    }

    static func == (left: PathPatternSet, right: PathPatternSet) -> Bool { left.patterns == right.patterns }

    /// Whether ``places(covering:)`` takes only microseconds for a path of `byteCount` bytes: each byte of the patterns
    /// may be compared with each byte of the path.
    func isQuick(forPathOf byteCount: Int) -> Bool { wildcardByteCount * byteCount <= Self.quickComparisonCount }

    /// Whether ``covers(_:)`` takes only microseconds for such a path.
    func coversQuickly(pathOf byteCount: Int) -> Bool { comparedByteCount * byteCount <= Self.quickComparisonCount }

    /// How many bytes of patterns ``covers(_:)`` compares.
    var comparedByteCount: Int { coversEverything ? 0 : wildcardByteCount }

    /// Whether one of the patterns covers `path`.
    func covers(_ path: BundlePath) -> Bool {
        if coversEverything || literals[path.string] != nil { return true }
        return !wildcards.isEmpty
            && path.withComponents { components in wildcards.contains { patterns[$0].covers(components) } }
    }

    /// The patterns that cover none of the files.
    func unused(among paths: some Sequence<BundlePath>) -> [PathPattern] {
        var unused = Set(patterns.indices)
        for path in paths where !unused.isEmpty { unused.subtract(places(covering: path)) }
        return unused.sorted().map { patterns[$0] }
    }

    /// The positions of the patterns that cover `path`, in ascending order.
    func places(covering path: BundlePath) -> [Int] {
        let exact = literals[path.string] ?? []
        guard !wildcards.isEmpty else { return exact }
        let others = path.withComponents { components in wildcards.filter { patterns[$0].covers(components) } }
        return exact.isEmpty ? others : (exact + others).sorted()
    }
}

/// Names of query parameters: one name, or with `*` at the end all names that begin so. A value type; safe to share
/// between threads.
public struct ParameterPattern: Hashable, Sendable, CustomStringConvertible {
    /// The longest pattern in bytes.
    static let maximumByteCount = 64

    /// The pattern as it was written: `utm_*`.
    public let string: String

    /// Returns nil for a pattern that is empty or longer than 64 bytes, that has `*` elsewhere than at its end, or a
    /// byte that isn't printable ASCII or that separates parameters: a space, `#`, `%`, `&`, `+` or `=`.
    public init?(_ string: String) {
        let bytes = string.utf8
        guard (1...Self.maximumByteCount).contains(bytes.count),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !"#%&+=".utf8.contains($0) }),
            !bytes.dropLast().contains(UInt8(ascii: "*"))
        else { return nil }
        self.string = string
    }

    /// The same as ``string``.
    public var description: String { string }

    /// Whether a parameter has a name that is meant, in exactly this case.
    ///
    /// - Parameter name: The name, percent-decoded.
    package func matches(_ name: some Sequence<UInt8>) -> Bool {
        guard string.utf8.last == UInt8(ascii: "*") else { return string.utf8.elementsEqual(name) }
        return name.starts(with: string.utf8.dropLast())
    }
}
