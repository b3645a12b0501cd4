import BundleStore
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleUpdate

@Suite("URLs in messages")
struct ReportedURLTests {
    @Test(
        "have no part that may carry a secret",
        arguments: [
            ("https://m.example.com/a.zip?token=1", "https://m.example.com/a.zip"),
            ("https://user:secret@m.example.com/a?x#y", "https://m.example.com/a"),
            ("https://m.example.com#secret", "https://m.example.com"),
            ("https://m.example.com/@scope/a", "https://m.example.com/@scope/a"),
            ("/a?token=1", "/a"), ("", ""),
        ]
    )
    func reported(_ url: String, _ reported: String) {
        #expect(URL.reported(url) == reported)
    }

    @Test("errors of the feed and of the archive don't contain their queries", arguments: [404, 302])
    func errors(code: Int) async throws {
        let network = ScriptedTransport()
        let url = try #require(URL(string: "https://m.example.com/feed.json?token=secret"))
        network.response(url.absoluteString, .init(code: code), [.location: "ftp://x/?token=secret"], "")
        let error = await #expect(throws: BundleError.self) {
            try await OriginDocument(transport: network).bytes(of: url, limit: 10)
        }
        #expect(error?.message.hasPrefix("https://m.example.com/feed.json ") == true)
        #expect(error?.message.contains("secret") == false)
    }
}
