import Testing

@testable import BundleTransport

@Suite("The name in a certificate")
struct CertificateNameTests {
    @Test(
        "is the host's, or has a wildcard for its first label",
        arguments: [
            ("shop.example", "shop.example", true), ("Shop.Example", "sHop.example", true),
            ("shop.example", "shop.example.", true), ("*.example", "shop.example", true),
            ("*.shop.example", "a.shop.example", true), ("*.shop.example", "a.b.shop.example", false),
            ("*.shop.example", "shop.example", false), ("*.shop.example", ".shop.example", false),
            ("*", "shop", false), ("*.*", "shop.example", false), ("s*.example", "shop.example", false),
            ("shop.example", "xshop.example", false), ("shop.example", "shop.example.evil", false),
        ]
    )
    func matching(_ name: String, _ host: String, _ isMatch: Bool) {
        #expect(CertificateName.matches(name, host) == isMatch)
    }
}
