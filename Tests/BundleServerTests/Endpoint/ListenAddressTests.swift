import BundleServer
import Testing

@Suite("ListenAddress")
struct ListenAddressTests {
    @Test(
        "host and port are taken apart, and put together again",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:8080", "::1", 8080), ("localhost:0", "localhost", 0),
            ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65_535), ("0.0.0.0:80", "0.0.0.0", 80),
        ]
    )
    func valid(_ text: String, _ host: String, _ port: Int) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(
        "anything else is nil",
        arguments: [
            "", ":", ":8080", "8080", "localhost", "localhost:", "localhost:65536", "localhost:-1", "localhost:+1",
            "localhost:8o", "::1:8080", "[::1]", "[::1]8080", "[]:80", "[localhost]:80", "http://a:80", "a b:80",
            "localhost:٣",
        ]
    )
    func invalid(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
