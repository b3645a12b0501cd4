import BundleModel
import Testing

@Suite("A network address")
struct NetworkAddressTests {
    @Test(
        "doesn't exist for text that isn't an address",
        arguments: [
            "", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "[::1]", ":::",
        ]
    )
    func noAddress(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test("is the same for all spellings of an address")
    func equality() throws {
        #expect(NetworkAddress("::ffff:127.0.0.1") == NetworkAddress("127.0.0.1"))
        #expect(NetworkAddress("0:0:0:0:0:0:0:1") == NetworkAddress("::1"))
        #expect(NetworkAddress([1, 2, 3]) == nil)
        #expect(try #require(NetworkAddress("::FFFF:10.0.0.1")).description == "10.0.0.1")
        #expect(try #require(NetworkAddress("FE80:0::1")).description == "fe80::1")
    }

    @Test(
        "is a loopback address in 127.0.0.0/8, and as ::1",
        arguments: [
            ("127.0.0.0", true), ("127.0.0.1", true), ("127.255.255.255", true), ("::1", true),
            ("::ffff:127.1.2.3", true),
            ("126.255.255.255", false), ("128.0.0.0", false), ("0.0.0.1", false), ("10.0.0.127", false), ("::", false),
            ("::2", false), ("::7f00:1", false), ("7f00::1", false), ("fe80::1", false), ("1::1", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try #require(NetworkAddress(text)).isLoopback == isLoopback)
    }
}
