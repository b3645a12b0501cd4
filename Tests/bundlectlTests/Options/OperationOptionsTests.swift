import ArgumentParser
import BundleServer
import Testing

@testable import bundlectl

struct OperationOptionsTests {
    @Test(
        "an address of the dashboard that other machines can reach gets a warning",
        arguments: [
            ("127.0.0.1:9090", false), ("localhost:9090", false), ("[::1]:90", false), ("unix:/tmp/x", false),
            ("0.0.0.0:9090", true), ("192.168.1.2:90", true),
        ]
    )
    func warning(address: String, isExpected: Bool) throws {
        let warning = try OperationOptions.parse(["--admin", address]).warning
        #expect((warning?.contains("plain HTTP") == true) == isExpected)
        #expect(try OperationOptions.parse([]).warning == nil)
    }
}
