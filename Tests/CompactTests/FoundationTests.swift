import CompactFoundation
import Foundation
import Testing

// A macro takes a module’s name for a value.
private typealias CompactURL = CompactFoundation.URL
private typealias CompactURLComponents = CompactFoundation.URLComponents

@Suite("What takes Foundation's place")
struct FoundationTests {
    /// RFC 3986 §5.4, and what else feeds and redirects have.
    @Test(
        "resolves references as Foundation does",
        arguments: [
            "g:h", "g", "./g", "g/", "/g", "//g", "?y", "g?y", "#s", "g#s", "g?y#s", ";x", "g;x", "g;x?y#s", ".", "./", "..",
            "../", "../g", "../..", "../../", "../../g", "../../../g", "../../../../g", "/./g", "/../g", "g.", ".g", "g..", "..g",
            "./../g", "./g/.", "g/./h", "g/../h", "g;x=1/./y", "g;x=1/../y", "g?y/./x", "g?y/../x", "g#s/../x",
            "https://other.example:8443/a/b?c", "shop-1.0.0.zip", "a%20b.zip", "https://user:secret@m.example/x",
        ]
    )
    func references(reference: String) throws {
        for base in ["http://a/b/c/d;p?q", "https://m.example.com", "https://m.example.com/feeds/feed.json"] {
            let expected = Foundation.URL(string: reference, relativeTo: Foundation.URL(string: base))
            let found = CompactFoundation.URL(string: reference, relativeTo: CompactFoundation.URL(string: base))
            #expect(found?.absoluteString == expected?.absoluteURL.absoluteString, "from \(base)")
            #expect(found?.scheme == expected?.absoluteURL.scheme)
        }
    }

    @Test("refuses what Foundation would have to encode", arguments: ["a b", "%", "%4", "%zz", "ä", "a\n", "{x}", ""])
    func invalid(text: String) {
        #expect(CompactFoundation.URL(string: text) == nil)
        #expect(Foundation.URL(string: text, encodingInvalidCharacters: false) == nil)
    }

    @Test("takes the user from a URL")
    func user() throws {
        let url = try #require(CompactURL(string: "https://user:secret@m.example:81/x?y"))
        var components = try #require(CompactURLComponents(url: url, resolvingAgainstBaseURL: true))
        #expect(components.user == "user:secret")
        components.user = nil
        components.password = nil
        #expect(components.string == "https://m.example:81/x?y")
    }

    @Test("encodes and decodes Base64 as Foundation does")
    func base64() {
        for count in 0..<20 {
            let bytes = (0..<UInt8(count)).map { $0 &* 77 }
            let text = Foundation.Data(bytes).base64EncodedString()
            #expect(CompactFoundation.Data(bytes).base64EncodedString() == text)
            #expect(CompactFoundation.Data(base64Encoded: text).map { Array($0) } == bytes)
        }
        for text in ["A", "AA", "AAA", "AA=A", "A===", "????", "AAAA="] {
            #expect(CompactFoundation.Data(base64Encoded: text) == nil, "\(text)")
        }
    }

    @Test("finds the dots and slashes that Foundation's compatibility mapping finds, in every character")
    func compatibility() {
        func marks(_ text: String) -> [Unicode.Scalar] {
            text.unicodeScalars.filter { ".\\%;?#:\u{3002}".unicodeScalars.contains($0) }
        }
        for value in UInt32(0x80)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let expected = Self.foundationMapping(String(scalar))
            // What has letters or digits beside its dots is no name of dots.
            guard expected.unicodeScalars.allSatisfy({ !$0.properties.isAlphabetic && !("0"..."9").contains($0) }) else {
                continue
            }
            let found = Self.compactMapping(String(scalar))
            #expect(marks(found) == marks(expected), "U+\(String(value, radix: 16))")
        }
    }

    @Test("knows files as Foundation does")
    func files() throws {
        let folder = Foundation.FileManager.default.temporaryDirectory.appendingPathComponent("compact-\(UInt64.random(in: 0 ... .max))")
        defer { try? Foundation.FileManager.default.removeItem(at: folder) }
        let manager = CompactFoundation.FileManager.default
        try manager.createDirectory(atPath: folder.path + "/a/b", withIntermediateDirectories: true)
        try manager.createDirectory(atPath: folder.path + "/a/b", withIntermediateDirectories: true)
        #expect(throws: CompactFoundation.POSIXError.self) {
            try manager.createDirectory(atPath: folder.path + "/a/b", withIntermediateDirectories: false)
        }
        try Foundation.Data("text".utf8).write(to: folder.appendingPathComponent("a/file"))
        #expect(try manager.contentsOfDirectory(atPath: folder.path + "/a").sorted() == ["b", "file"])
        #expect(manager.contents(atPath: folder.path + "/a/file").map { Array($0) } == Array("text".utf8))
        #expect(manager.contents(atPath: folder.path + "/a") == nil)
        var isFolder: CompactFoundation.ObjCBool = false
        #expect(manager.fileExists(atPath: folder.path + "/a/b", isDirectory: &isFolder) && isFolder.boolValue)
        let url = CompactFoundation.URL(fileURLWithPath: folder.path + "/a/./b/../file")
        #expect(url.standardizedFileURL.path == folder.path + "/a/file")
        #expect(url.deletingLastPathComponent().standardizedFileURL.path == folder.path + "/a")
        #expect(try url.standardizedFileURL.resourceValues(forKeys: [.fileSizeKey]).fileSize == 4)
        try manager.removeItem(atPath: folder.path)
        #expect(!manager.fileExists(atPath: folder.path))
    }
}
