import BundleModel
import Testing

struct ByteCountTests {
    @Test(
        "sizes are in powers of a thousand",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 KB"), (1_949, "1.9 KB"), (1_950, "2.0 KB"), (9_949, "9.9 KB"),
            (9_950, "10 KB"), (52_891, "53 KB"), (999_499, "999 KB"), (999_500, "1.0 MB"), (8_590_000, "8.6 MB"),
            (511_000_000, "511 MB"), (999_999_999, "1.0 GB"), (4_294_967_296, "4.3 GB"),
            (Int64.max, "9 EB"),
        ] as [(Int64, String)]
    )
    func text(_ count: Int64, _ text: String) {
        #expect(ByteCount.text(count) == text)
    }

    @Test(
        "a quota that suffices is rounded up, in the form that is read",
        arguments: [
            (1, "1KB"), (1_000, "1KB"), (1_001, "2KB"), (9_999_999, "10000KB"), (10_000_001, "11MB"),
            (11_000_000, "11MB"),
            (Int64.max, "9223372036855MB"),
        ] as [(Int64, String)]
    )
    func roundedUp(_ count: Int64, _ text: String) {
        #expect(ByteCount.roundedUp(count) == text)
    }
}
