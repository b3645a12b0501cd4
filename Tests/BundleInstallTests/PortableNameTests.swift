import BundleStore
import Testing

@testable import BundleInstall

@Suite("Portable names")
struct PortableNameTests {
    private func reason(_ path: String) throws -> PortableNameError.Reason? {
        do {
            try PortableName.check(BundlePath(path))
            return nil
        } catch let error as PortableNameError {
            #expect(error.description.hasPrefix("“"))
            return error.reason
        }
    }

    @Test(
        "refuse names that Windows changes or takes for a device",
        arguments: [
            ("a.", .trailingDot), ("a./b", .trailingDot), ("a/b...", .trailingDot), ("a ", .trailingSpace),
            ("a /b.js", .trailingSpace), ("a. ", .trailingSpace), ("con", .reservedDeviceName),
            ("PRN", .reservedDeviceName), ("a/Aux.html", .reservedDeviceName), ("nul.tar.gz", .reservedDeviceName),
            ("COM0", .reservedDeviceName), ("com9.js", .reservedDeviceName), ("lpt\u{B2}", .reservedDeviceName),
            ("LPT\u{B3}.txt", .reservedDeviceName), ("CONIN$", .reservedDeviceName),
            ("conout$.x/a", .reservedDeviceName),
            ("nul .txt", .reservedDeviceName), ("index.html::$DATA", .streamType), ("a/bb:c:$data", .streamType),
            ("dir:$i30:$INDEX_ALLOCATION/a", .streamType), ("dir::$Index_Allocation/a", .streamType),
            ("x/C:evil", .driveLetter), ("x/c:/evil", .driveLetter),
        ] as [(String, PortableNameError.Reason)]
    )
    func refused(_ path: String, _ expected: PortableNameError.Reason) throws {
        #expect(try reason(path) == expected)
    }

    @Test(
        "refuse an encoded dot or slash, regardless of how often it is encoded",
        arguments: [
            "%2e%2e", "%2E%2e/a", "a/.%2e/b", "%2e./b", "%2e", "a%2fb", "a%2Fb", "..%5cb", "%252e%252e",
            "%25252e%25252e",
            "%c0%ae%c0%ae/a", "%c0%af", "%2525%32%65", "%e0%80%ae", "%E0%80%AE%e0%80%ae/a", "a%e0%80%afb",
            "%f0%80%80%ae", "%f0%80%81%9c", "%f8%80%80%80%ae", "%fc%80%80%80%80%ae", "%u002e%u002e", "a%u002Fb",
            "%U005C", "%25u002e", "%c1%9c",
        ]
    )
    func encoded(_ path: String) throws {
        #expect(try reason(path) == .encodedTraversal)
    }

    @Test(
        "allow names that occur in real bundles",
        arguments: [
            ".well-known/a", "...a", "a..b", "console.js", "Contents", "communication.html", "com10", "lpt", "nullable",
            "null", "auxiliary/a", "100%", "100%.html", "a%20b.html", "%E4%BD%A0.html", "a%2ejs", "a%", "a%2", "%zz",
            "%-0", "%+2", "%2-", "%u002", "%uD800", "%e4%80%ae",
            "operator<.html", "Foo::Bar.html", "page.html:x", "a/1:2", "$DATA", "a$b:c", "ab:", "index.html?x=1",
            "a\"b",
            "a|b", "a*b", "CONIN", "日本語/ページ.html", "con-",
        ]
    )
    func allowed(_ path: String) throws {
        #expect(try reason(path) == nil)
    }
}
