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
