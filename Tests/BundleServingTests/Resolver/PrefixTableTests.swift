import BundleStore
import BundleTesting
import Testing

@testable import BundleServing

@Suite("The table of prefixes")
struct PrefixTableTests {
    private func longest(
        _ table: borrowing PrefixTable,
        _ path: String,
        _ scheme: OriginURL.Scheme?,
        _ authority: String
    ) -> [Int]? {
        var (path, authority) = (path, authority)
        let match = path.withUTF8 { path in
            authority.withUTF8 { authority in
                let site = PrefixTable.Site(scheme: scheme, authority: UnsafeRawBufferPointer(authority))
                return table.longest(of: UnsafeRawBufferPointer(path), in: site)
            }
        }
        return match.map { [$0.target, $0.byteCount, $0.depth] }
    }

    @Test("finds the longest one of the site, with its length")
    func longest() {
        var table = PrefixTable()
        table.insert(0, at: [], scheme: .https, authority: "h")
        table.insert(1, at: ["a"], scheme: .https, authority: "h")
        table.insert(2, at: ["a", "b", "c"], scheme: .https, authority: "h")
        table.insert(3, at: ["a"], scheme: .http, authority: "h")
        table.insert(4, at: ["a"], scheme: .https, authority: "h")
        #expect(longest(table, "", .https, "h") == [0, 0, 0])
        #expect(longest(table, "/x", .https, "h") == [0, 0, 0])
        #expect(longest(table, "/a", .https, "h") == [1, 2, 1])
        #expect(longest(table, "/a/b", .https, "h") == [1, 2, 1])
        #expect(longest(table, "/a/b/c/d", .https, "h") == [2, 6, 3])
        #expect(longest(table, "/a", .http, "h") == [3, 2, 1])
        #expect(longest(table, "", .http, "h") == nil)
        #expect(longest(table, "/a", .https, "h2") == nil)
        #expect(longest(table, "/a", nil, "h") == nil)
    }

    @Test("keeps authorities and paths apart")
    func boundary() {
        var table = PrefixTable()
        table.insert(0, at: ["b"], scheme: .https, authority: "h")
        #expect(longest(table, "", .https, "h/b") == nil)
        #expect(longest(table, "/b", .https, "h") == [0, 2, 1])
    }

    @Test("finds nothing when it is empty")
    func empty() {
        #expect(longest(PrefixTable(), "/a", .https, "h") == nil)
    }

    @Test("gives the same as a linear search through thousands", arguments: 0..<3 as Range<UInt64>)
    func many(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func components(_ maximum: Int) -> [String] {
            (0..<Int.random(in: 0...maximum, using: &random)).map { _ in "\(Int.random(in: 0..<9, using: &random))" }
        }
        var table = PrefixTable()
        var targets: [[String]: Int] = [:]
        for number in 0..<3_000 {
            let prefix = components(5)
            table.insert(number, at: prefix, scheme: nil, authority: "")
            if targets[prefix] == nil { targets[prefix] = number }
        }
        for _ in 0..<3_000 {
            let path = components(8)
            let length = (0...path.count).reversed().first { targets[Array(path.prefix($0))] != nil }
            let expected = length.map { [targets[Array(path.prefix($0))] ?? -1, $0 * 2, $0] }
            #expect(longest(table, path.map { "/\($0)" }.joined(), nil, "") == expected)
        }
    }
}
