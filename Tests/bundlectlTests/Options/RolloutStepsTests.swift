import BundleUpdate
import Testing

@testable import bundlectl

struct RolloutStepsTests {
    @Test(
        "shares that rise are steps",
        arguments: [("1,10,50,100", [1, 10, 50, 100]), ("0.1%,5%", [0.1, 5]), ("100", [100])] as [(String, [Double])]
    )
    func taken(_ text: String, _ percents: [Double]) {
        #expect(RolloutSteps(argument: text)?.shares.map(\.percent) == percents)
    }

    @Test(
        "anything else isn't",
        arguments: ["", "0,10", "10,1", "10,10", "1,,10", "1,10,", "1,101", "1, 10", "a", "-1,10"]
    )
    func refused(_ text: String) {
        #expect(RolloutSteps(argument: text) == nil)
    }

    @Test(
        "the address of a metrics server is a URL without a query",
        arguments: [
            ("http://m:9090", "http://m:9090"),
            ("https://m.example/select/0/prometheus/", "https://m.example/select/0/prometheus"),
            ("http://m/?a=b", nil), ("http://m/#a", nil), ("m:9090", nil), ("file:///m", nil), ("http://a:b@m/", nil),
        ] as [(String, String?)]
    )
    func health(_ text: String, _ url: String?) {
        #expect(HealthURL(argument: text)?.string == url)
    }
}
