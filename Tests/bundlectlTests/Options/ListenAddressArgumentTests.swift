import BundleServer
import Testing

@testable import bundlectl

struct ListenAddressArgumentTests {
    @Test("a port alone is one of this machine alone", arguments: ["8080", ":8080"])
    func port(_ text: String) {
        #expect(ListenAddress(argument: text) == .tcp(host: "127.0.0.1", port: 8080))
    }

    @Test(
        "an address is read as it is",
        arguments: ["0.0.0.0:80", "[::1]:8080", "unix:/run/bundles.sock", "systemd:web"]
    )
    func address(_ text: String) {
        #expect(ListenAddress(argument: text)?.description == text)
    }

    @Test("anything else isn't one", arguments: ["", ":", "::8080", "65536", "-1", "80 80", "shop", "http://a:80"])
    func refused(_ text: String) {
        #expect(ListenAddress(argument: text) == nil)
    }
}
