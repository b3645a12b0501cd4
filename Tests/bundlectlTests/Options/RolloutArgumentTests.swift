import BundleNetwork
import Testing

@testable import BundleUpdate
@testable import bundlectl

struct RolloutArgumentTests {
    @Test(
        "a number from 0 to 100, with or without a percent sign, is a share",
        arguments: [("0%", 0), ("10%", 10), ("12.5%", 12.5), ("100%", 100), ("5", 5), ("0.5", 0.5)]
    )
    func taken(_ text: String, _ percent: Double) {
        #expect(Rollout(argument: text)?.percent == percent)
    }

    @Test(
        "anything else isn't one",
        arguments: [
            "", "%", "101", "101%", "5%%", "-1%", "+1%", "1e1%", "0x1p1%", "nan%", "inf%", ".%", "1,5%", "10 %", "٣%",
        ]
    )
    func refused(_ text: String) {
        #expect(Rollout(argument: text) == nil)
    }
}
