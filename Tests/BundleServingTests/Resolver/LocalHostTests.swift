import BundleStore
import Testing

@testable import BundleServing

@Suite("Hosts of this machine")
struct LocalHostTests {
    @Test(
        "are its loopback addresses and their name",
        arguments: [
            ("localhost", true), ("127.0.0.1", true), ("127.255.255.254", true), ("[::1]", true),
            ("[0:0:0:0:0:0:0:1]", true),
            ("", false), ("shop.localhost", false), ("128.0.0.1", false), ("127.1", false), ("127.0.0.256", false),
            ("127.0.0.01", false), ("1", false), ("::1", false), ("[::2]", false), ("[::]", false), ("[]", false),
            ("[", false),
            ("[1::1]", false), ("127.0.0.1.example", false), ("[" + String(repeating: "0", count: 100) + "::1]", false),
        ]
    )
    func loopback(_ host: String, _ expected: Bool) {
        #expect(LocalHost.isLoopback(host) == expected)
    }

    @Test(
        "are names under localhost, which belong to bundles",
        arguments: [
            ("shop.localhost", true, "shop"), ("n--my-dshop.localhost", true, "my.shop"),
            ("a.shop.localhost", true, nil),
            ("localhost", false, nil), (".localhost", false, nil), ("notlocalhost", false, nil),
            ("shop.localhost.example", false, nil),
        ] as [(String, Bool, String?)]
    )
    func names(_ host: String, _ isName: Bool, _ bundle: String?) {
        #expect(LocalHost.isName(host) == isName)
        #expect(LocalHost.bundle(at: host)?.string == bundle)
    }

    @Test(
        "elsewhere, a bundle's own host is a name and a host",
        arguments: [
            ("shop=shop.example", "shop.example"), ("shop=SHOP.example", "shop.example"),
            ("shop=192.168.1.5", "192.168.1.5"),
            ("shop=[fe80::1]", "[fe80::1]"), ("shop=localhost", "localhost"), ("shop=shop.example:80", nil),
            ("shop=", nil),
            ("shop", nil), ("=shop.example", nil), ("sh op=a", nil), ("shop=docs.localhost", nil), ("shop=a/b", nil),
            ("shop=*", nil),
        ] as [(String, String?)]
    )
    func own(_ text: String, _ host: String?) {
        #expect(BundleHost(text)?.host == host)
    }
}
