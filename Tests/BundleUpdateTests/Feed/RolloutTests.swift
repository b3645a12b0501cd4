import Testing

@testable import BundleUpdate

@Suite("Rollout")
struct RolloutTests {
    @Test(
        "a share is from 0 to 100 percent",
        arguments: [(0, "0%"), (-0.0, "0%"), (10, "10%"), (12.5, "12.5%"), (100, "100%")]
    )
    func taken(_ percent: Double, _ text: String) {
        #expect(Rollout(percent: percent)?.description == text)
    }

    @Test("anything else isn't one", arguments: [-0.1, 100.1, .infinity, -.infinity, .nan])
    func refused(_ percent: Double) {
        #expect(Rollout(percent: percent) == nil)
    }
}
