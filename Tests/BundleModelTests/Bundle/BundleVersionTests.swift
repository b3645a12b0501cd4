import Testing

@testable import BundleModel

@Suite("BundleVersion")
struct BundleVersionTests {
    /// In ascending order; each is lower than every one after it. The middle part is the chain of SemVer §11.
    static let ascending = [
        "0.0.0-alpha", "0", "0.0.1", "0.9", "0.10", "1.0.0-0", "1.0.0-9", "1.0.0-10", "1.0.0--", "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.0.1",
        "1.2.0-rc.1",
        "1.2", "1.2.0.4", "1.9", "1.10", "2.0.0-a.b", "2.0.0-a.b.c", "2.0.0", "2.1.0", "2.1.1", "3", "20261120.4",
        "20261120.10", "18446744073709551615", "18446744073709551616", "99999999999999999999999.0.1",
    ]
    .compactMap(BundleVersion.init)

    @Test(
        "equal versions may be written differently",
        arguments: [
            ("1.2", "1.2.0"), ("1", "1.0.0.0"), ("0", "0.0"), ("1.0.0+a", "1.0.0+b"), ("1.0.0-rc.1+5", "1.0.0-rc.1"),
            ("007", "7"), ("1.02", "1.2"), ("1.2.0", "1.02.0"),
        ]
    )
    func equality(_ left: String, _ right: String) throws {
        let (left, right) = (try #require(BundleVersion(left)), try #require(BundleVersion(right)))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(!(left < right) && !(right < left))
        #expect(left.string != right.string)
    }

    @Test("a literal is a version, and one that can't be ends the process")
    func literal() async {
        #expect(BundleVersion("1.4.0").string == "1.4.0")
        await #expect(processExitsWith: .failure) { _ = BundleVersion("v1") }
        // Text that isn't a literal never ends it.
        #expect(["1", "v1"].compactMap(BundleVersion.init).map(\.string) == ["1"])
    }

    @Test(
        "text that isn't a version is refused",
        arguments: [
            "", ".", "1.", ".1", "1..2", "v1.0.0", "1.0.0-", "1.0.0-01", "1.0.0-a..b", "1.0.0+", "1.0.0-é", "1.0-rc.1",
            "-1",
            "+1", "1,2", " 1", "1 ", "1\n", "١.٢", "1.x", "0x1", "1e3", "1.\u{301}2",
            String(repeating: "1", count: 129),
        ]
    )
    func refusal(_ text: String) {
        #expect(BundleVersion(text) == nil)
    }

    @Test("the longest version is 128 bytes")
    func longest() {
        #expect(BundleVersion(String(repeating: "9", count: 128)) != nil)
    }

    @Test("every pair of the table compares in one way only, numbers beyond 64 bits and mixed forms included")
    func antisymmetry() {
        #expect(Self.ascending.count == 34)
        for (lower, left) in Self.ascending.enumerated() {
            for (higher, right) in Self.ascending.enumerated() {
                #expect((left < right) == (lower < higher), "\(left) and \(right)")
                #expect((left == right) == (lower == higher), "\(left) and \(right)")
            }
        }
    }

    @Test("order is transitive over the table and its other spellings")
    func transitivity() {
        let versions = Self.ascending + ["1.2.0", "1.0.0+b", "3.0", "1.10.0"].compactMap(BundleVersion.init)
        for first in versions {
            for second in versions where first <= second {
                for third in versions where second <= third {
                    #expect(first <= third, "\(first), \(second), \(third)")
                }
            }
        }
    }

    @Test("numbers compare as numbers, not as text")
    func numeric() throws {
        #expect(BundleVersion("1.10") > BundleVersion("1.9"))
        #expect(BundleVersion("10") > BundleVersion("9"))
    }

    @Test("the text is kept as written")
    func text() throws {
        #expect(BundleVersion("1.02").description == "1.02")
        #expect(BundleVersion("1.0.0-rc.1+x").string == "1.0.0-rc.1+x")
    }
}
