import BundleStore
import Testing

@testable import BundlePublishing
@testable import BundleUpdate

@Suite("What patches start from")
struct PatchBasesTests {
    @Test(
        "are the highest lower releases of each channel that offers it, and of stable",
        arguments: [
            ("1.3.0", 3, ["1.0.0", "1.1.0", "1.2.0", "1.2.1"], ["1.2.1", "1.2.0", "1.1.0"]),
            (
                "1.3.0", 2, ["1.2.0", "1.2.1", "1.3.0-rc.1@beta", "1.3.0-rc.2@beta", "1.3.0-rc.3@beta"],
                ["1.2.1", "1.2.0"]
            ),
            (
                "1.3.0@beta", 2, ["1.2.0", "1.2.1", "1.3.0-rc.1@beta", "1.3.0-rc.2@beta"],
                ["1.3.0-rc.2", "1.2.1", "1.3.0-rc.1", "1.2.0"]
            ),
            ("1.3.0@beta+stable", 1, ["1.2.0@beta+stable", "1.1.0"], ["1.2.0"]),
            ("1.3.0@lts", 1, ["1.2.0@lts", "1.2.5@beta", "1.1.0"], ["1.2.0", "1.1.0"]),
            ("1.3.0", 2, ["1.2.0!", "1.1.0!", "1.0.0"], ["1.2.0", "1.1.0"]),
            ("1.3.0", 2, ["1.3.0", "1.4.0", "1.1.0"], ["1.1.0"]), ("1.3.0", 0, ["1.2.0"], []),
            ("1.3.0", 2, [], []),
        ] as [(String, Int, [String], [String])]
    )
    func bases(_ release: String, _ count: Int, _ others: [String], _ expected: [String]) throws {
        let bases = PatchBases(countPerChannel: count).releases(
            below: try FeedEntry.sample(release),
            among: try others.map(FeedEntry.sample)
        )
        #expect(bases.map(\.version.string) == expected)
    }

    @Test("are sixteen at most, the highest of each channel among them")
    func limit() throws {
        let others = try (1...20).flatMap {
            [try FeedEntry.sample("1.\($0).0"), try FeedEntry.sample("2.\($0).0@beta")]
        }
        let bases = PatchBases(countPerChannel: 16).releases(below: try FeedEntry.sample("3.0.0@beta"), among: others)
        #expect(bases.count == 16)
        #expect(bases.prefix(2).map(\.version.string) == ["2.20.0", "1.20.0"])
        #expect(bases.last?.version.string == "1.13.0")
    }

    @Test("those of the next release are the highest of every channel, each once")
    func next() throws {
        let entries = try ["1.0.0", "1.1.0@beta+stable", "1.2.0@beta", "0.9.0@lts", "0.8.0"].map(FeedEntry.sample)
        let next = PatchBases(countPerChannel: 1).releasesForNext(among: entries)
        #expect(Set(next.map(\.version.string)) == ["1.1.0", "1.2.0", "0.9.0"])
        #expect(next.count == 3)
    }
}
