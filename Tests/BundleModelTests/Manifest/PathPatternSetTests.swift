import BundleTesting
import Testing

@testable import BundleModel

@Suite("Patterns that are matched together")
struct PathPatternSetTests {
    private static let components = ["a", "b", "ab", "ba", "a.js", "b.css"]
    private static let wildcards = ["*", "**", "a*", "*b", "*.js", "a", "b", "a*s", "a*b*"]

    private static func texts(_ words: [String], depth: Int) -> [String] {
        guard depth > 1 else { return words }
        return words + texts(words, depth: depth - 1).flatMap { rest in words.map { "\($0)/\(rest)" } }
    }

    /// What a pattern means, in the simplest implementation: it covers the rest of the components, or gives up.
    static func covers(_ pattern: ArraySlice<Substring>, _ path: ArraySlice<Substring>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        if first == "**" {
            return (path.startIndex...path.endIndex).contains { covers(pattern.dropFirst(), path[$0...]) }
        }
        guard let component = path.first, covers(Substring(first), component) else { return false }
        return covers(pattern.dropFirst(), path.dropFirst())
    }

    private static func covers(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return covers(pattern.dropFirst(), text) || !text.isEmpty && covers(pattern, text.dropFirst())
        }
        return text.first == first && covers(pattern.dropFirst(), text.dropFirst())
    }

    @Test("cover what each covers alone, in their order")
    func reference() throws {
        let patterns = Self.texts(Self.wildcards, depth: 3).compactMap { PathPattern("/" + $0) }.sorted()
        #expect(patterns.count > 800)
        let set = PathPatternSet(patterns)
        for text in Self.texts(Self.components, depth: 3) {
            let path = try BundlePath(text)
            let expected = patterns.indices.filter { index in
                Self.covers(
                    patterns[index].string.dropFirst().split(separator: "/")[...],
                    text.split(separator: "/")[...]
                )
            }
            #expect(set.places(covering: path) == expected, "\(text)")
            #expect(set.covers(path) != expected.isEmpty)
        }
    }

    @Test("may be few or none")
    func small() throws {
        let path = try BundlePath("a/b")
        #expect(!PathPatternSet([]).covers(path))
        #expect(PathPatternSet([]).places(covering: path) == [])
        let twice = PathPatternSet(["/a/b", "/*", "/a/b"].compactMap(PathPattern.init))
        #expect(twice.places(covering: path) == [0, 2])
    }
}
