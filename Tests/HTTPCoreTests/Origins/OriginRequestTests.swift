import BundleModel
import Foundation
import Testing

@testable import HTTPCore

@Suite("URLs of files")
struct OriginRequestTests {
    @Test(
        "a URL of a file of this machine gives its path",
        arguments: [
            ("file:///a/b.zip", "/a/b.zip"), ("file:///a/b/", "/a/b"), ("file://localhost/a", "/a"), ("file:///", "/"),
            ("file:///a%20b/%E2%82%AC", "/a b/€"), ("FILE:///a", "/a"),
        ]
    )
    func path(_ text: String, _ path: String) throws {
        #expect(try #require(URL(string: text)).filePath() == path)
    }

    @Test("a path comes back as it was, also a relative one", arguments: ["/a b/c%d", "/ä/#1?", "b/c.zip"])
    func roundTrip(_ path: String) throws {
        let whole = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        #expect(try URL(fileURLWithPath: path, isDirectory: false).filePath() == whole)
    }

    @Test(
        "another URL is refused, never taken for a path, and its password isn't shown",
        arguments: [
            "https://me:secret@a.example/b", "file://other.example/b", "file:///b?secret", "file:///b#secret",
            "file:///a%00b",
            "file:///%FF", "b.zip",
        ]
    )
    func refusal(_ text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: BundleError.self) { try url.filePath() }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("secret") == false)
    }
}
