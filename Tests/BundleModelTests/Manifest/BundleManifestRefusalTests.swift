import Testing

@testable import BundleModel

@Suite("BundleManifest refuses")
struct BundleManifestRefusalTests {
    /// The end of a pattern of a thousand bytes.
    private static let long =
        "/" + Array(repeating: String(repeating: "a", count: 249), count: 4).joined(separator: "/")

    private static func many(_ count: Int, _ member: (Int) -> String) -> String {
        "{\((0..<count).map(member).joined(separator: ","))}"
    }

    /// Key, invalid value (nil: left out), and the message after `bundle.json: `.
    static let wrongValues: [(String, String?, String)] = [
        ("name", nil, "the key “name” is missing; add it"),
        ("version", nil, "the key “version” is missing; add it"),
        ("origins", nil, "the key “origins” is missing; add it"),
        ("name", "1", "name: must be a string, but is a number"),
        ("name", "null", "name: must be a string, but is null"),
        ("name", #""Shop""#, "name: “Shop” is not a bundle name: "),
        ("name", #""\u001b[2J""#, #"name: “\u{1b}[2J” is not a bundle name: "#),
        ("version", "1.4", #"version: must be a string, but is a number; write "1.4" with quotes"#),
        ("version", "1e999999999", #"version: must be a string, but is a number; write "1e999999999" with quotes"#),
        ("version", #""v1""#, "version: “v1” is not a version: "),
        ("version", "true", "version: must be a string, but is a boolean"),
        ("origins", "{}", "origins: must be a list, but is an object"),
        ("origins", #"["https://a"]"#, "origins[0]: must be an object, but is a string"),
        ("origins", "[{}]", "origins[0]: the key “url” is missing here; add it"),
        ("origins", #"[{"url": "ftp://x"}]"#, "origins[0].url: “ftp://x” is not an http or https URL"),
        ("origins", #"[{"url": "http://a"}, {"url": "http://a?b"}]"#, "origins[1].url: “http://a?b” has a query"),
        ("origins", #"[{"url": 1}]"#, "origins[0].url: must be a string, but is a number"),
        ("origins", #"[{"url": "http://a", "path": "x"}]"#, "origins[0].path: “x” does not start with “/”"),
        ("origins", #"[{"url": "http://a", "path": "/.."}]"#, "origins[0].path: “..” leaves the bundle through “..”"),
        ("origins", #"[{"url": "http://a", "path": "//"}]"#, "origins[0].path: “” is an empty path"),
        (
            "origins", #"[{"url": "http://a"}, {"url": "http://A:80/", "path": "/x"}]"#,
            "origins[1]: “http://a/” is mapped twice; keep one"
        ),
        ("entry", #""/index.html""#, "entry: “/index.html” is an absolute path"),
        ("entry", #""""#, "entry: “” is an empty path"),
        ("entry", "[]", "entry: must be a string, but is a list"),
        ("fallback", #""index.html""#, "fallback: must be an object, but is a string"),
        ("fallback", "{}", "fallback: the key “file” is missing here; add it"),
        ("fallback", #"{"file": "../x"}"#, "fallback.file: “../x” leaves the bundle through “..”"),
        ("fallback", #"{"file": "x", "routes": "/**"}"#, "fallback.routes: must be a list, but is a string"),
        ("fallback", #"{"file": "x", "routes": ["/a", "b"]}"#, "fallback.routes[1]: “b” is not a path pattern: "),
        ("offlinePage", #""a\\b""#, #"offlinePage: “a\b” has a backslash"#),
        ("headers", "[]", "headers: must be an object, but is a list"),
        ("headers", #"{"x": {}}"#, "headers.x: “x” is not a path pattern: "),
        ("headers", #"{"/**": "x"}"#, "headers[“/**”]: must be an object, but is a string"),
        ("headers", #"{"/**": {"X": 1}}"#, "headers[“/**”].X: must be a string, but is a number"),
        ("headers", #"{"/**": {"X Y": "1"}}"#, "headers[“/**”][“X Y”]: “X Y” is not the name of a header field"),
        ("headers", #"{"/**": {"ETag": "1"}}"#, "headers[“/**”].ETag: the server sets this field itself; remove it"),
        (
            "headers", #"{"/**": {"content-type": "a/b"}}"#,
            "headers[“/**”].content-type: the server sets this field itself; use “mediaTypes”"
        ),
        (
            "headers", #"{"/**": {"X": "a\r\nY: b"}}"#,
            #"headers[“/**”].X: “a\u{d}\u{a}Y: b” is not a header field's value"#
        ),
        ("headers", #"{"/**": {"X": "a", "x": "b"}}"#, "headers[“/**”].x: the field is set twice"),
        (
            "headers", many(1_001) { #""/\#($0)": {}"# },
            "headers: has 1001 path patterns; the limit is 1000; cover many"
        ),
        (
            "headers", many(100) { #""/\#($0)\#(long)": {}"# },
            "headers: has patterns of 100290 bytes together; the limit is 32768; cover many"
        ),
        (
            "fallback", #"{"file": "x", "routes": [\#((0...250).map { #""/\#($0)""# }.joined(separator: ","))]}"#,
            "fallback.routes: has 251 path patterns; the limit is 250; cover many"
        ),
        (
            "fallback",
            #"{"file": "x", "routes": [\#((0..<5).map { #""/\#($0)\#(long)""# }.joined(separator: ","))]}"#,
            "fallback.routes: has patterns of 5010 bytes together; the limit is 4096; cover many"
        ),
        (
            "mediaTypes", many(1_001) { #""x\#($0)": "a/b""# },
            "mediaTypes: has 1001 file extensions; the limit is 1000; leave"
        ),
        (
            "origins", "[\((0...1_000).map { #"{"url": "http://a/\#($0)"}"# }.joined(separator: ","))]",
            "origins: has 1001 URLs; the limit is 1000; map a prefix that they share"
        ),
        ("immutable", #""/**""#, "immutable: must be a list, but is a string"),
        ("immutable", #"["assets/**"]"#, "immutable[0]: “assets/**” is not a path pattern: "),
        ("immutable", #"["/**", true]"#, "immutable[1]: must be a string, but is a boolean"),
        (
            "immutable", "[\((0...250).map { #""/a\#($0)""# }.joined(separator: ","))]",
            "immutable: has 251 path patterns; the limit is 250; cover many"
        ),
        ("mediaTypes", #"{".js": "a/b"}"#, "mediaTypes[“.js”]: “.js” is not a file extension: "),
        ("mediaTypes", #"{"JS": "a/b"}"#, "mediaTypes.JS: “JS” is not a file extension: "),
        ("mediaTypes", #"{"a/b": "a/b"}"#, "mediaTypes[“a/b”]: “a/b” is not a file extension: "),
        ("mediaTypes", #"{"": "a/b"}"#, "mediaTypes[“”]: “” is not a file extension: "),
        ("mediaTypes", #"{"js": "script"}"#, "mediaTypes.js: “script” is not a media type, such as "),
        ("forwardedFields", #""X-Host""#, "forwardedFields: must be a list, but is a string"),
        ("forwardedFields", #"["X-Host", 1]"#, "forwardedFields[1]: must be a string, but is a number"),
        ("forwardedFields", #"["X Host"]"#, "forwardedFields[0]: “X Host” is not the name of a header field"),
        ("forwardedFields", #"["X-Host", "x-host"]"#, "forwardedFields[1]: “x-host” is named twice; keep one"),
        (
            "forwardedFields", "[\((0...32).map { #""a\#($0)""# }.joined(separator: ","))]",
            "forwardedFields: names over 32 fields"
        ),
        ("forwardedAddress", #""yes""#, "forwardedAddress: must be true or false, but is a string"),
        ("pages", "true", "pages: must be an object, but is a boolean"),
        ("pages", #"{"update": "yes"}"#, "pages.update: must be true or false, but is a string"),
        ("ignoreQuery", #"{}"#, "ignoreQuery: must be a list, but is an object"),
        ("ignoreQuery", #"["utm_*", 1]"#, "ignoreQuery[1]: must be a string, but is a number"),
        ("ignoreQuery", #"[""]"#, "ignoreQuery[0]: “” is not the name of a query parameter: "),
        ("ignoreQuery", #"["u*m"]"#, "ignoreQuery[0]: “u*m” is not the name of a query parameter: "),
        ("ignoreQuery", #"["**"]"#, "ignoreQuery[0]: “**” is not the name of a query parameter: "),
        ("ignoreQuery", #"["a=b"]"#, "ignoreQuery[0]: “a=b” is not the name of a query parameter: "),
        ("ignoreQuery", #"["a%20"]"#, "ignoreQuery[0]: “a%20” is not the name of a query parameter: "),
        ("ignoreQuery", #"["é"]"#, "ignoreQuery[0]: “é” is not the name of a query parameter: "),
        ("ignoreQuery", "[\"\(String(repeating: "a", count: 65))\"]", "ignoreQuery[0]: “aaaa"),
        ("ignoreQuery", #"["a", "a"]"#, "ignoreQuery[1]: “a” is named twice; keep one"),
        (
            "ignoreQuery", "[\((0...32).map { #""a\#($0)""# }.joined(separator: ","))]",
            "ignoreQuery: names over 32 query parameters"
        ),
        ("feed", #""feed.json""#, "feed: “feed.json” is not an http or https URL"),
        ("feed", #""https://u:p@a/feed""#, "feed: “https://u:p@a/feed” has a user name or password"),
        ("feed", #""https://a/feed#x""#, "feed: “https://a/feed#x” has a fragment"),
        ("feed", #""https://a/b c""#, "feed: “https://a/b c” has a character that must be percent-encoded"),
        ("channel", #""""#, "channel: “” is not a channel: "),
        ("channel", #""a b""#, "channel: “a b” is not a channel: "),
        ("channel", "7", "channel: must be a string, but is a number"),
        ("health", "true", "health: must be an object, but is a boolean"),
        ("health", #"{"within": 30}"#, "health.within: must be a string, but is a number"),
        ("health", #"{"within": "0s"}"#, "health.within: “0s” is not a duration from 1s to 1h"),
        ("health", #"{"within": "3601s"}"#, "health.within: “3601s” is not a duration from 1s to 1h"),
        ("health", #"{"within": "2h"}"#, "health.within: “2h” is not a duration from 1s to 1h"),
        ("health", #"{"within": "soon"}"#, "health.within: “soon” is not a duration from 1s to 1h"),
        ("health", #"{"starts": "2"}"#, "health.starts: must be a number, but is a string"),
        ("health", #"{"starts": 0}"#, "health.starts: 0 is not a number of starts: use 1 to 100"),
        ("health", #"{"starts": 101}"#, "health.starts: 101 is not a number of starts: use 1 to 100"),
        ("health", #"{"starts": 1.5}"#, "health.starts: 1.5 is not a number of starts: use 1 to 100"),
        ("health", #"{"starts": -1e400}"#, "health.starts: -1e400 is not a number of starts: use 1 to 100"),
    ]

    @Test("an invalid key by its name and place", arguments: wrongValues)
    func wrongValue(_ key: String, _ value: String?, _ message: String) throws {
        let json = BundleManifestTests.json([key: value])
        let error = #expect(throws: BundleError.self) { try BundleManifest.parse(json) }
        #expect(error?.code == .invalidManifest)
        #expect(error?.message.hasPrefix("bundle.json: " + message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("\n") == false)
    }

    @Test(
        "text that isn't a JSON object, with line and column",
        arguments: [
            ("", "line 1, column 1: the text ends in the middle of a value"),
            ("{\n  \"name\": shop\n}", "line 2, column 11: this character does not belong here in JSON"),
            ("{\"name\": \"a\", \"name\": \"b\"}", "line 1, column 15: the key “name” appears twice"),
            (
                String(repeating: "[", count: 500_000),
                "line 1, column 65: lists and objects are nested deeper than 64 levels"
            ),
            ("[]", "must be an object, but is a list"), ("1", "must be an object, but is a number"),
        ]
    )
    func notJSON(_ text: String, _ message: String) {
        let error = #expect(throws: BundleError.self) { try BundleManifest.parse(Array(text.utf8)) }
        #expect(error?.code == .invalidManifest)
        #expect(error?.message == "bundle.json: " + message)
    }

    @Test("more patterns, extensions and URLs than are allowed, but not in a store from before there were limits")
    func limits() throws {
        for (key, value, _) in Self.wrongValues where value.map({ $0.utf8.count > 1_000 }) == true {
            let json = BundleManifestTests.json([key: value])
            #expect(throws: BundleError.self) { try BundleManifest.parse(json) }
            #expect(throws: Never.self) { try BundleManifest.parse(stored: json) }
        }
    }

    @Test("bytes that aren't UTF-8")
    func encoding() {
        let error = #expect(throws: BundleError.self) { try BundleManifest.parse([0x7B, 0xFF, 0x7D]) }
        #expect(error?.message == "bundle.json: line 1, column 1: the text is not UTF-8")
    }

    @Test("more than 1 MiB, while exactly that much is read")
    func size() throws {
        let json = BundleManifestTests.json()
        let spaces = [UInt8](repeating: 0x20, count: BundleManifest.maximumByteCount - json.count)
        #expect(throws: Never.self) { try BundleManifest.parse(json + spaces) }
        let error = #expect(throws: BundleError.self) { try BundleManifest.parse(json + spaces + [0x20]) }
        #expect(error?.message == "bundle.json: has 1048577 bytes; the limit is 1048576")
    }

    @Test("a damaged manifest without ending the process, whichever byte is changed")
    func damage() {
        let json = BundleManifestTests.json(BundleManifestTests.everything)
        var refusedCount = 0
        for index in json.indices {
            for byte: UInt8 in [0x00, 0x22, 0x2F, 0xC3] {
                var damaged = json
                damaged[index] = byte
                do { _ = try BundleManifest.parse(damaged) } catch { refusedCount += 1 }
            }
        }
        // A zero byte at least is nowhere allowed.
        #expect(refusedCount >= json.count)
    }
}
