import BundleStore
import Testing

@testable import BundleUpdate

@Suite("Cohort")
struct CohortTests {
    /// The positions of many installations, the same in each run.
    private func positions(of bundle: String, count: Int = 20_000) throws -> [Double] {
        let name = try #require(BundleName(bundle))
        return try (0..<count).map { number in
            let digits = String(number, radix: 16)
            let identifier = String(repeating: "0", count: 32 - digits.count) + digits
            return Cohort(of: try #require(InstallationIdentifier(identifier)), for: name).position
        }
    }

    @Test("the distribution is even")
    func even() throws {
        let positions = try positions(of: "shop")
        #expect(positions.allSatisfy { (0..<100).contains($0) })
        let counts = positions.reduce(into: [Int](repeating: 0, count: 100)) { $0[Int($1)] += 1 }
        // 200 are expected in each; a deviation of five times the square root of that is less likely than one in 10,000.
        #expect(counts.allSatisfy { (130...270).contains($0) }, "\(counts)")
        #expect(Set(positions).count == positions.count, "the resolution is fine")
    }

    @Test("raising the percentage only adds installations, and 100 % is all of them")
    func raising() throws {
        let cohorts = try positions(of: "shop", count: 2_000).map(Cohort.init(position:))
        var before: [Bool] = cohorts.map { _ in false }
        for percent in [0, 0.1, 0.5, 1, 2.5, 10, 33.3, 50, 75, 99, 99.9, 100] {
            let rollout = try #require(Rollout(percent: percent))
            let included = cohorts.map { $0.isIncluded(in: rollout) }
            #expect(zip(before, included).allSatisfy { !$0 || $1 }, "\(percent)")
            let share = Double(included.count { $0 }) / Double(cohorts.count) * 100
            #expect(abs(share - percent) < 4, "\(percent): \(share)")
            before = included
        }
        #expect(!before.contains(false))
        #expect(!cohorts.contains { $0.isIncluded(in: Rollout(percent: 0)!) })
    }

    @Test("the last place is below 100 %")
    func last() {
        #expect(Cohort(position: (100.0).nextDown).isIncluded(in: .everyone))
    }

    @Test("it is the same in each run, and another one for another bundle")
    func stable() throws {
        let installation = try #require(InstallationIdentifier("000102030405060708090a0b0c0d0e0f"))
        let shop = Cohort(of: installation, for: BundleName("shop"))
        // SHA-256 of the identifier, a zero byte and “shop” begins with these 48 bits.
        let digest = Digest(of: Array("000102030405060708090a0b0c0d0e0f\0shop".utf8)).hex
        let bits = try #require(UInt64(digest.prefix(12), radix: 16))
        #expect(shop.position == Double(bits) / 281_474_976_710_656 * 100)
        #expect(shop == Cohort(of: installation, for: BundleName("shop")))
        let (first, second) = (try positions(of: "shop", count: 2_000), try positions(of: "docs", count: 2_000))
        let both = zip(first, second).count { $0 < 50 && $1 < 50 }
        #expect((400...600).contains(both), "those that are first for one bundle aren't for another: \(both)")
    }
}
