import ArgumentParser
import BundleServer
import BundleStore
import BundleTesting
import Testing

@testable import bundlectl

@Suite("The options of telemetry")
struct TelemetryOptionsTests {
    @Test("the installation has the store's number, the operator's name, or none; labels are in their order")
    func identity() async throws {
        try await withTemporaryDirectory { directory in
            let store = try BundleStore(at: directory.path(of: "store"), creating: true)
            let number = try #require(FleetIdentity.number(of: store))
            for (arguments, expected) in [([], number), (["--telemetry-instance", "kiosk 7"], "kiosk 7")] {
                #expect(try TelemetryOptions.parse(arguments).identity(of: store).installation == expected)
            }
            let labelled = ["--telemetry-instance", "off", "--label", "site=42", "--label", "floor=a=b"]
            let identity = try TelemetryOptions.parse(labelled).identity(of: store)
            #expect(identity.installation == nil)
            #expect(identity.labels.map { "\($0.name) \($0.value)" } == ["site 42", "floor a=b"])
        }
    }

    @Test("a label that is given twice is refused, and more than 16")
    func bounds() throws {
        let labels = (0..<17).flatMap { ["--label", "a\($0)=1"] }
        #expect(try TelemetryOptions.parse(labels.dropLast(2).map(\.self)).label.count == 16)
        for arguments in [labels, ["--label", "a=1", "--label", "a=2"]] {
            #expect(throws: (any Error).self) { try TelemetryOptions.parse(arguments) }
        }
    }

    @Test("an interval of nothing is refused", arguments: [("0s", false), ("1s", true)])
    func interval(_ text: String, _ isValid: Bool) {
        #expect(((try? Serve.parse(["--telemetry-interval", text])) != nil) == isValid)
    }

    @Test(
        "other forms are refused",
        arguments: ["--telemetry=http://a.example", "--telemetry-instance=", "--label=site", "--label=le=1"]
    )
    func invalid(_ argument: String) {
        #expect(throws: (any Error).self) { try TelemetryOptions.parse([argument]) }
    }
}
