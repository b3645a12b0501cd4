import ServerCore
import Testing

@Suite("ListenAddress")
struct ListenAddressTests {
    @Test(
        "host and port are parsed, and written back",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:8080", "::1", 8080), ("localhost:0", "localhost", 0),
            ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65_535), ("0.0.0.0:80", "0.0.0.0", 80),
            ("systemd.test:1", "systemd.test", 1),
        ]
    )
    func tcp(_ text: String, _ host: String, _ port: Int) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == .tcp(host: host, port: port))
        #expect(address.description == text)
    }

    @Test(
        "a path and the service manager's sockets are recognised by their prefixes",
        arguments: [
            ("unix:/run/bundles.sock", .unix(path: "/run/bundles.sock")), ("unix:a:1", .unix(path: "a:1")),
            ("systemd", .inherited(name: nil)), ("systemd:web", .inherited(name: "web")),
        ] as [(String, ListenAddress)]
    )
    func others(_ text: String, _ expected: ListenAddress) throws {
        let address = try #require(ListenAddress(text))
        #expect(address == expected)
        #expect(address.description == text)
    }

    @Test(
        "anything else is nil",
        arguments: [
            "", ":", ":8080", "8080", "localhost", "localhost:", "localhost:65536", "localhost:-1", "localhost:+1",
            "localhost:8o", "::1:8080", "[::1]", "[::1]8080", "[]:80", "[localhost]:80", "http://a:80", "a b:80",
            "localhost:٣", "unix:", "unix:a\0b", "systemd:", "Systemd", "unix",
        ]
    )
    func invalid(_ text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
