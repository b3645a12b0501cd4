import BundleStore
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Version cookies")
struct VersionCookiesTests {
    @Test(
        "are found among others, by their bytes",
        arguments: [
            ("", []), ("a=b", []), ("offline-bundles.shop=1.0.0", ["offline-bundles.shop=1.0.0"]),
            ("a=b; offline-bundles.shop=1.0.0", ["offline-bundles.shop=1.0.0"]),
            ("a=b;offline-bundles.shop=1.0.0;c=d", ["offline-bundles.shop=1.0.0"]),
            ("offline-bundles.a=1;  offline-bundles.b=2", ["offline-bundles.a=1", "offline-bundles.b=2"]),
            ("xoffline-bundles.shop=1", []), ("a=offline-bundles.shop=1", []), ("; ; ;", []), ("offline-bundle", []),
            // A semicolon and a combining mark are one Character.
            ("offline-bundles.shop=1.0.0;\u{301}x=1", ["offline-bundles.shop=1.0.0"]),
            (";\u{301}offline-bundles.shop=1", []),
        ] as [(String, [String])]
    )
    func found(_ value: String, _ expected: [String]) {
        var found: [String] = []
        Array(value.utf8).withUnsafeBytes { bytes in
            VersionCookies.forEach(in: bytes) { found.append(String(decoding: $0, as: UTF8.self)) }
        }
        #expect(found == expected)
        #expect(VersionCookies(value) == VersionCookies(expected.joined(separator: "; ")))
    }

    @Test("are removed, and the others stay as they are")
    func removed() {
        for (value, expected) in [
            ("a=b", "a=b"), ("offline-bundles.shop=1", nil), ("a=b; offline-bundles.shop=1; c=d", "a=b; c=d"),
            ("offline-bundles.shop=1.0.0;\u{301}x=1", "\u{301}x=1"), ("a=b;c", "a=b;c"),
        ] {
            #expect(VersionCookies.removed(from: [.cookie: value, .accept: "a/b"])[.cookie] == expected)
            #expect(VersionCookies.removed(from: [.cookie: value, .accept: "a/b"])[.accept] == "a/b")
        }
    }

    @Test("the other cookies keep their bytes, whether or not they are UTF-8")
    func bytes() {
        let own = Array("; offline-bundles.shop=1".utf8)
        let fields = HTTPFields([HTTPField(name: .cookie, value: [0x61, 0x3D, 0xE9] + own)])
        let left = VersionCookies.removed(from: fields)
        #expect(Array(left) == [HTTPField(name: .cookie, value: [0x61, 0x3D, 0xE9])])
    }
}
