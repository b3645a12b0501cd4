import HTTPTypes
import Testing

@testable import BundleServing

@Suite("The scope of an origin's cookies")
struct CookieScopeTests {
    @Test(
        "is the bundle's host and the paths that the origin's map to (RFC 6265 §5.2)",
        arguments: [
            // Without a domain, so only for the host (§5.3).
            ("a=b", "/", "a=b; Path=/api"), ("a=b; Domain=localhost", "/", "a=b; Path=/api"),
            ("a=b; domain = .localhost ;Path=/", "/", "a=b; Path=/"),
            (
                "a=b; HttpOnly; Secure; SameSite=None; Max-Age=60; Expires=Thu, 01 Jan 2026 00:00:00 GMT; Partitioned; Path=/",
                "/",
                "a=b; HttpOnly; Secure; SameSite=None; Max-Age=60; Expires=Thu, 01 Jan 2026 00:00:00 GMT; Partitioned; Path=/"
            ),
            ("__Host-a=b; Secure; Path=/", "/", "__Host-a=b; Secure; Path=/"),
            // The origin's path, as browsers see it here.
            ("a=b; Path=/shop/", "/", "a=b; Path=/"), ("a=b; Path=/shop", "/", "a=b; Path=/"),
            ("a=b; Path=/shop/cart", "/", "a=b; Path=/cart"), ("a=b; Path=/shop/cart/", "/m/", "a=b; Path=/m/cart/"),
            ("a=b; Path=/", "/m/", "a=b; Path=/m/"), ("a=b; path=/x; PATH=/shop/y", "/", "a=b; Path=/y"),
            ("a=b; Path=relative", "/", "a=b; Path=/api"), ("a=b; Path", "/", "a=b; Path=/api"),
            ("a=b; Path=", "/", "a=b; Path=/api"),
            // No request under the bundle would have it.
            ("a=b; Path=/other", "/", nil), ("a=b; Path=/shopping", "/", nil),
            ("a=b; Path=/shop/../x", "/", "a=b; Path=/../x"),
            // Only this server sets a page's version.
            ("offline-bundles.shop=9", "/", nil), (" offline-bundles.shop = 9", "/", nil),
            ("=offline-bundles.shop=9", "/", nil),
            ("= = offline-bundles.shop=9", "/", nil), ("offline-bundles.shop", "/", nil),
            ("x-offline-bundles.=1", "/", "x-offline-bundles.=1; Path=/api"),
            // Not a cookie.
            ("", "/", nil), (";Path=/", "/", nil), ("=", "/", nil), ("  ;; ", "/", nil), ("a", "/", "a; Path=/api"),
            ("a=b;;; ;HttpOnly;", "/", "a=b; HttpOnly; Path=/api"), ("a=b; =x; Path=/", "/", "a=b; Path=/"),
            ("a=\"b c\"; Path=/", "/", "a=\"b c\"; Path=/"), ("a=ü; Path=/", "/", "a=ü; Path=/"),
            (String(repeating: "a", count: 8_192), "/", String(repeating: "a", count: 8_192) + "; Path=/api"),
            (String(repeating: "a", count: 8_193), "/", nil), ("a=b", "/m;x/", nil),
        ] as [(String, String, String?)]
    )
    func confined(_ value: String, _ root: String, _ expected: String?) {
        let scope = CookieScope(root: root, originRoot: "/shop/", request: "/api/login")
        #expect(scope.confined(HTTPField(name: .setCookie, value: value))?.value == expected)
    }

    @Test("the bytes of a cookie are those that its origin sent, whether or not they are UTF-8")
    func bytes() {
        let cookie = HTTPField(name: .setCookie, value: [0x61, 0x3D, 0xE9] + Array("; Path=/shop/".utf8) + [0xFF])
        let scope = CookieScope(root: "/", originRoot: "/shop/", request: "/api/login")
        let expected: [UInt8] = [0x61, 0x3D, 0xE9] + Array("; Path=/".utf8) + [0xFF]
        #expect(scope.confined(cookie) == HTTPField(name: .setCookie, value: expected))
    }

    @Test(
        "without a path of its own is the request's folder, inside the bundle (§5.1.4)",
        arguments: [
            ("/m/", "/m/", "/m/"), ("/m", "/m/", "/m/"), ("/m/api/login", "/m/", "/m/api"), ("/m/a;b/c", "/m/", "/m/"),
            ("/mm/x", "/m/", "/m/"),
        ]
    )
    func byRequest(_ request: String, _ root: String, _ path: String) {
        let scope = CookieScope(root: root, originRoot: "/", request: request)
        #expect(scope.confined(HTTPField(name: .setCookie, value: "a=b"))?.value == "a=b; Path=\(path)")
    }

    @Test(
        "on a host of its own, where nothing is translated, a cookie stays as it is, but for its domain",
        arguments: [
            ("a=b", "a=b"), ("a=b; HttpOnly", "a=b; HttpOnly"), ("a=b; Domain=localhost", "a=b"),
            ("a=b; Path=/", "a=b; Path=/"), ("a=b; Path=/x/y", "a=b; Path=/x/y"), ("a=b; Path=", "a=b; Path=/x"),
            ("offline-bundles.shop=9", nil),
        ]
    )
    func ownHost(_ value: String, _ expected: String?) {
        let scope = CookieScope(root: "/", originRoot: "/", request: "/x/y")
        #expect(scope.confined(HTTPField(name: .setCookie, value: value))?.value == expected)
    }

    @Test(
        "of an origin that has been told the bundle's path may be those that browsers see",
        arguments: [
            ("/kiosk/m/cart", "/kiosk/m/cart"), ("/kiosk/m/", "/kiosk/m/"), ("/kiosk/m", "/kiosk/m/"),
            ("/cart", "/kiosk/m/cart"), ("/", "/kiosk/m/"), ("/kiosk/mm", "/kiosk/m/kiosk/mm"),
        ]
    )
    func told(_ path: String, _ expected: String) {
        let scope = CookieScope(root: "/kiosk/m/", originRoot: "/", request: "/kiosk/m/x", isTold: true)
        #expect(
            scope.confined(HTTPField(name: .setCookie, value: "a=b; Path=\(path)"))?.value == "a=b; Path=\(expected)"
        )
    }
}
