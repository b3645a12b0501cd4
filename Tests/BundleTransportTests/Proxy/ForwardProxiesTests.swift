import BundleModel
import Testing

@testable import BundleTransport

@Suite("Which proxy requests go through")
struct ForwardProxiesTests {
    @Test("is chosen by the scheme")
    func scheme() throws {
        let (http, https) = (try ForwardProxy("a.example:1"), try ForwardProxy("b.example:2"))
        let proxies = ForwardProxies(http: http, https: https)
        #expect(try proxies.proxy(isSecure: false, host: "shop.example", port: 80) == http)
        #expect(try proxies.proxy(isSecure: true, host: "shop.example", port: 443) == https)
        let one = ForwardProxies(http: nil, https: https)
        #expect(try one.proxy(isSecure: false, host: "shop.example", port: 80) == nil)
        #expect(try ForwardProxies.none.proxy(isSecure: true, host: "shop.example", port: 443) == nil)
    }

    @Test(
        "is none for this machine",
        arguments: ["localhost", "LOCALHOST.", "shop.localhost", "127.0.0.1", "127.1", "::1", "::ffff:127.0.0.1"]
    )
    func loopback(_ host: String) throws {
        let proxy = try ForwardProxy("a.example:1")
        let proxies = ForwardProxies(http: proxy, https: proxy)
        #expect(try proxies.proxy(isSecure: true, host: host, port: 443) == nil)
    }

    @Test(
        "is none for the hosts that are excluded",
        arguments: [
            ("*", "shop.example", true), ("shop.example", "shop.example", true),
            ("shop.example", "a.SHOP.example.", true),
            ("shop.example", "ashop.example", false), (".shop.example", "a.shop.example", true),
            ("*.shop.example", "a.shop.example", true), (".shop.example", "shop.example", true),
            ("a.example, b.example", "b.example", true), ("a.example b.example", "b.example", true),
            ("shop.example:8443", "shop.example", false), ("shop.example:443", "shop.example", true),
            ("10.1.2.3", "10.1.2.3", true), ("10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "11.1.2.3", false),
            ("10.1.2.3:443", "10.1.2.3", true), ("10.1.2.3:80", "10.1.2.3", false), ("10.0.0.0/33", "10.1.2.3", false),
            ("fd00::/8", "fd12::1", true), ("[fd12::1]:443", "fd12::1", true), ("fd12::1", "fd12::1", true),
            ("10.0.0.0/8", "10.example", false), ("", "shop.example", false), (",.,:80,/", "shop.example", false),
            ("0.0.0.0/0", "shop.example", false), ("example", "10.1.2.3", false),
        ]
    )
    func exclusions(_ list: String, _ host: String, _ isExcluded: Bool) throws {
        let proxy = try ForwardProxy("a.example:1")
        let proxies = ForwardProxies(http: proxy, https: proxy, excluding: list)
        #expect(try proxies.proxy(isSecure: true, host: host, port: 443) == (isExcluded ? nil : proxy))
    }

    @Test("that can't be used is an error where it would be used")
    func unusable() throws {
        let error = BundleError(.invalidArgument, "no proxy")
        let proxies = ForwardProxies(http: .success(nil), https: .failure(error), excluding: "a.example")
        #expect(try proxies.proxy(isSecure: false, host: "shop.example", port: 80) == nil)
        #expect(try proxies.proxy(isSecure: true, host: "a.example", port: 443) == nil)
        #expect(throws: BundleError.self) { try proxies.proxy(isSecure: true, host: "shop.example", port: 443) }
    }
}
