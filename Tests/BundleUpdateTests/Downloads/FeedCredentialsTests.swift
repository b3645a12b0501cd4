import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleUpdate
@testable import HTTPCore

@Suite("Credentials for feeds")
struct FeedCredentialsTests {
    private static let netrc = """
        # The publisher's server
        machine m.example.com
            login me password secret
        machine LOCALHOST login me password here
        machine m.example.com login other password other

        """

    /// What is sent with a request for a URL.
    private static func field(_ netrc: String, _ url: String) throws -> String? {
        let target = try #require(OriginTarget(url))
        return try FeedCredentials(netrc: netrc).credential(for: target)?.fieldValue
    }

    @Test(
        "are sent to their own host, over https or to this machine",
        arguments: [
            ("https://m.example.com/feed.json", "me:secret"), ("https://M.example.com:8443/a", "me:secret"),
            ("http://m.example.com/feed.json", nil), ("https://a.m.example.com/", nil), ("https://example.com/", nil),
            ("http://localhost:8080/feed.json", "me:here"), ("https://localhost/", "me:here"),
            ("http://127.0.0.1/", nil),
        ]
    )
    func hosts(_ url: String, _ credential: String?) throws {
        let field = credential.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(try Self.field(Self.netrc, url) == field)
    }

    @Test(
        "have the forms that other programs take",
        arguments: [
            ("machine a.test login me password secret", "me:secret"), ("machine a.test password token", ":token"),
            ("machine\ta.test\r\nlogin me\r\npassword secret\r\n", "me:secret"), ("machine a.test login me", "me:"),
            ("machine a.test login \"m e\" password \"a\\\"b\\\\c\"", "m e:a\"b\\c"),
            ("machine a.test login me password #1", "me:#1"), ("machine a.test account x login me password p", "me:p"),
            ("macdef m\nmachine a.test login x\n\nmachine a.test login me password p", "me:p"),
            ("default login x password y", nil), ("machine b.test login x machine a.test login me", "me:"),
            ("machine b.test login x default login y", nil), ("", nil), ("# machine a.test login me", nil),
        ]
    )
    func forms(_ netrc: String, _ credential: String?) throws {
        let field = credential.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(try Self.field(netrc, "https://a.test/") == field)
    }

    @Test(
        "of another form are refused by their line, with nothing of the contents",
        arguments: [
            ("machine a.test\nlogin me\nsecret", 3), ("machine a.test login", 1), ("machine", 1),
            ("machine a.test password \"secret", 1), ("machine a.test password \"secret\n\"", 1),
            ("machine a.test login se:cret password secret", 1), ("{\"secret\": 1}", 1),
            ("machine a.test login \"a\\nsecret\"", 1),
        ]
    )
    func refused(_ netrc: String, _ line: Int) {
        let error = #expect(throws: BundleError.self) { try FeedCredentials(netrc: netrc) }
        #expect(error?.message.hasPrefix("line \(line) ") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") == false)
    }

    @Test("go with a request and its redirects, as far as these stay on the host")
    func redirects() async throws {
        let network = ScriptedTransport()
        let urls = [
            "https://m.example.com/feed.json", "https://m.example.com/moved", "https://cdn.example.com/feed.json",
        ]
        for (url, next) in zip(urls, urls.dropFirst()) {
            network.response(url) { _ in OriginResponse(.found, [.location: next], []) }
        }
        network.response(urls[2], .ok, [:], "{}")
        let credentials = try FeedCredentials(netrc: Self.netrc)
        let document = OriginDocument(transport: network, credentials: credentials)
        _ = try await document.bytes(of: try #require(URL(string: urls[0])), limit: 10)
        let fields = network.requests.map { $0.headerFields[.authorization] }
        let sent = "Basic " + Data("me:secret".utf8).base64EncodedString()
        #expect(fields == [sent, sent, nil])
    }

    @Test("that are missing or wrong are told with what to do")
    func unauthorized() async throws {
        let network = ScriptedTransport()
        network.response("https://m.example.com/feed.json", .unauthorized, [:], "")
        let document = OriginDocument(transport: network)
        let url = try #require(URL(string: "https://m.example.com/feed.json"))
        let error = await #expect(throws: BundleError.self) { try await document.bytes(of: url, limit: 10) }
        #expect(error?.problem == "https://m.example.com/feed.json responded with 401")
        #expect(error?.remedy == .giveFeedCredential)
    }
}
