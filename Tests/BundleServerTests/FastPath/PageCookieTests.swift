import BundleServing
import Testing

@testable import BundleServer

@Suite("A version cookie among a request's bytes")
struct PageCookieTests {
    @Test(
        "is compared with the version in question",
        arguments: [
            ("", "absent"), ("a=b", "absent"), ("offline-bundles.shop=1.0.0", "current"),
            ("a=b; offline-bundles.shop=1.0.0", "current"), ("a=b;offline-bundles.shop=1.0.0;c=d", "current"),
            ("offline-bundles.shop=1.0.1", "other"), ("offline-bundles.shop=1.0.0-rc", "other"),
            ("offline-bundles.shop=", "other"), ("offline-bundles.shop", "absent"),
            ("offline-bundles.shopping=1.0.0", "absent"), ("xoffline-bundles.shop=1.0.0", "absent"),
            ("a=offline-bundles.shop=1.0.0", "absent"), ("; ; ;", "absent"),
            ("offline-bundles.shop=2; offline-bundles.shop=1.0.0", "other"),
        ]
    )
    func standing(_ value: String, _ expected: String) {
        let pair = Array("offline-bundles.shop=1.0.0".utf8)
        let standing = pair.withUnsafeBytes { pair in
            Array(value.utf8).withUnsafeBytes { PageCookie.standing(of: pair, nameByteCount: 21, in: $0) }
        }
        #expect("\(standing)" == expected)
    }

    @Test(
        "of any bundle is found",
        arguments: [
            ("", false), ("a=b", false), ("offline-bundles.x=1", true), ("a=b; offline-bundles.x=1", true),
            ("a=offline-bundles.x", false), ("offline-bundle", false),
        ]
    )
    func presence(_ value: String, _ isPresent: Bool) {
        #expect(Array(value.utf8).withUnsafeBytes { PageCookie.mayBePresent(in: $0) } == isPresent)
    }
}
