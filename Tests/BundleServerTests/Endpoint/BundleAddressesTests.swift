import BundleServing
import BundleStore
import Testing

@testable import BundleServer

@Suite("The address of a bundle")
struct BundleAddressesTests {
    @Test(
        "is the one at which browsers open it",
        arguments: [
            ("http://127.0.0.1:8080", [], [], false, "http://shop.localhost:8080/"),
            ("https://localhost", [], [], false, "https://shop.localhost/"),
            ("http://[::1]:80", [], [], false, "http://shop.localhost/"),
            ("http://0.0.0.0:1", [], [], false, "http://shop.localhost:1/"),
            ("http://[::]:1", [], [], false, "http://shop.localhost:1/"),
            ("http://192.168.1.5:1", [], [], false, nil),
            ("http://192.168.1.5:1", ["shop=/"], [], false, "http://192.168.1.5:1/"),
            ("http://192.168.1.5:1", ["shop=/a b/c"], [], false, "http://192.168.1.5:1/a%20b/c/"),
            ("http://192.168.1.5:1", [], ["shop=shop.example"], false, "http://shop.example:1/"),
            ("http://192.168.1.5:1", [], ["docs=docs.example"], false, nil),
            ("http://192.168.1.5:1", [], [], true, "http://192.168.1.5:1/shop/"),
            ("http://127.0.0.1:1", ["shop=/"], [], false, "http://127.0.0.1:1/"),
            ("http://[::1]:1", ["docs=/", "shop=/s"], [], false, "http://[::1]:1/s/"),
            ("http://127.0.0.1:1", ["docs=/"], [], false, "http://shop.localhost:1/"),
            ("http://0.0.0.0:1", ["shop=/"], [], false, "http://127.0.0.1:1/"),
            ("http://127.0.0.1:1", ["shop=/"], ["shop=shop.example"], false, "http://shop.example:1/"),
            ("unix:/run/bundles.sock", ["shop=/"], [], false, nil),
        ] as [(String, [String], [String], Bool, String?)]
    )
    func url(_ endpoint: String, _ mounts: [String], _ hosts: [String], _ isShared: Bool, _ expected: String?) throws {
        let addresses = BundleAddresses(
            mounts: mounts.compactMap(Mount.init),
            hosts: hosts.compactMap(BundleHost.init),
            sharesOrigin: isShared
        )
        #expect(addresses.url(of: BundleName("shop"), at: endpoint) == expected)
    }

    @Test(
        "is at a public URL where the endpoint has it below that",
        arguments: [
            ("https://kiosk.example/kiosk/", ["shop=/"], [], "https://kiosk.example/kiosk/"),
            ("https://kiosk.example/kiosk/", ["shop=/m"], [], "https://kiosk.example/kiosk/m/"),
            ("http://localhost/kiosk/", [], [], nil),
            ("http://localhost/kiosk/", ["shop=/m"], [], "http://localhost/kiosk/m/"),
            ("http://localhost/", [], [], "http://shop.localhost/"),
            ("https://kiosk.example/kiosk/", [], ["shop=kiosk.example"], "https://kiosk.example/kiosk/"),
            ("https://kiosk.example/kiosk/", [], ["shop=shop.example"], "https://shop.example/"),
        ] as [(String, [String], [String], String?)]
    )
    func publicURL(_ url: String, _ mounts: [String], _ hosts: [String], _ expected: String?) throws {
        let addresses = BundleAddresses(
            mounts: mounts.compactMap(Mount.init),
            hosts: hosts.compactMap(BundleHost.init),
            publicURLs: [try OriginURL(url)]
        )
        #expect(addresses.url(of: BundleName("shop"), at: url) == expected)
    }
}
