import BundleStore
import Testing

@testable import BundleServer

@Suite("When a refused archive is fetched again")
struct RefusedReleasesTests {
    private let shop: BundleName
    private let archive = Digest(of: [1])
    private let other = Digest(of: [2])

    init() throws {
        shop = try #require(BundleName("shop"))
    }

    private func isDue(_ digest: Digest, _ releases: RefusedReleases, at hour: Int) -> Bool {
        (try? releases.check(digest, for: shop, at: .seconds(hour * 3_600))) != nil
    }

    @Test("after an hour, and after pauses that double up to a day while it is refused")
    func pauses() {
        var releases = RefusedReleases()
        #expect(isDue(archive, releases, at: 0))
        var hour = 0
        var pauses: [Int] = []
        for _ in 0..<7 {
            let told = releases.add(archive, for: shop, "invalid", at: .seconds(hour * 3_600))
            let pause = (0...).first { [hour] in isDue(archive, releases, at: hour + $0) } ?? 0
            #expect(told == .seconds(pause * 3_600))
            pauses.append(pause)
            hour += pause
        }
        #expect(pauses == [1, 2, 4, 8, 16, 24, 24])
    }

    /// The archives refused for the shop (at hour 0, 1, …, by the first bytes of two archives), and whether an archive
    /// of a bundle is due at hour 2.
    @Test(
        "immediately when it is another archive, or another bundle's",
        arguments: [
            ([], "shop", 1, true), ([1], "shop", 1, true), ([1, 1], "shop", 1, false), ([1, 1], "shop", 2, true),
            ([1, 1], "docs", 1, true), ([1, 1, 2], "shop", 1, true), ([1, 2, 1], "shop", 1, false),
            ([1, 1, 2], "shop", 2, false),
        ] as [([UInt8], String, UInt8, Bool)]
    )
    func others(refused: [UInt8], name: String, offered: UInt8, isDue: Bool) throws {
        var releases = RefusedReleases()
        for (hour, byte) in refused.enumerated() {
            _ = releases.add(Digest(of: [byte]), for: shop, "invalid", at: .seconds(hour * 3_600))
        }
        let name = try #require(BundleName(name))
        let check = Result { try releases.check(Digest(of: [offered]), for: name, at: .seconds(2 * 3_600)) }
        #expect(((try? check.get()) != nil) == isDue)
    }

    @Test("gives the reason for the refusal until then")
    func reason() {
        var releases = RefusedReleases()
        _ = releases.add(archive, for: shop, "the archive is invalid", at: .zero)
        let error = #expect(throws: RefusedReleases.Postponement.self) {
            try releases.check(archive, for: shop, at: .zero)
        }
        #expect(error?.description == "the archive is invalid")
    }
}
