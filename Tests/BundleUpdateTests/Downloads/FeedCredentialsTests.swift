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
        return try FeedCredentials(netrc: netrc).fields(for: target)[.authorization]
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

    @Test(
        "by origin are sent to that alone, over https or to this machine",
        arguments: [
            ("https://m.example.com/feed.json", "Bearer a"), ("https://M.EXAMPLE.com:443/a", "Bearer a"),
            ("https://m.example.com:8443/a", "Bearer b"), ("https://m.example.com:9/", nil),
            ("http://m.example.com/feed.json", nil), ("http://localhost:80/", "Bearer c"),
            ("https://localhost/", nil), ("https://m.example.com.evil.test/", nil),
        ]
    )
    func origins(_ url: String, _ value: String?) throws {
        let credentials = try FeedCredentials(fields: [
            "https://m.example.com": ["Authorization": "Bearer a"],
            "https://m.example.com:8443/": ["authorization": "Bearer b"],
            "http://localhost": ["Authorization": "Bearer c"],
        ])
        #expect(try credentials.fields(for: #require(OriginTarget(url)))[.authorization] == value)
    }

    @Test("by origin count before passwords, which other hosts keep")
    func both() throws {
        let fields = ["X-Id": "1", "X-Secret": "2"]
        let both = try FeedCredentials(netrc: Self.netrc).adding(
            FeedCredentials(fields: ["https://m.example.com": fields])
        )
        let sent = both.fields(for: try #require(OriginTarget("https://m.example.com/feed.json")))
        #expect(Dictionary(uniqueKeysWithValues: sent.map { ($0.name.rawName, $0.value) }) == fields)
        for url in ["https://m.example.com:8443/", "http://localhost/"] {
            #expect(both.fields(for: try #require(OriginTarget(url)))[.authorization]?.hasPrefix("Basic ") == true)
        }
    }

    @Test(
        "by origin are refused without their values when they can't be sent",
        arguments: [
            ("http://m.example.com", "Authorization", "secret", "in clear text"),
            ("m.example.com", "Authorization", "secret", "is not an origin"),
            ("https://m.example.com/private", "Authorization", "secret", "is not an origin"),
            ("https://me:secret@m.example.com", "Authorization", "x", "is not an origin"),
            ("https://m.example.com", "X Y", "secret", "is not the name of a header field"),
            ("https://m.example.com", "Host", "secret", "is a field that requests have for themselves"),
            ("https://m.example.com", "range", "secret", "is a field that requests have for themselves"),
            ("https://m.example.com", "X-Token", "secret\r\nHost: evil", "has other characters"),
            ("https://m.example.com", "X-Token", "", "is empty"),
        ]
    )
    func unsendable(_ origin: String, _ name: String, _ value: String, _ reason: String) {
        let error = #expect(throws: BundleError.self) { try FeedCredentials(fields: [origin: [name: value]]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") == false)
    }

    @Test("are in no description, and in no view of what contains them")
    func descriptions() throws {
        var configuration = Updater.Configuration()
        configuration.credentials = try FeedCredentials(netrc: Self.netrc)
            .adding(FeedCredentials(fields: ["https://a.test": ["Authorization": "Bearer secret"]]))
        var text = "\(configuration) \(configuration.credentials) \(String(reflecting: configuration.credentials))"
        dump(configuration, to: &text)
        #expect(!text.contains("secret") && !text.contains(Data("me:secret".utf8).base64EncodedString()))
    }

    @Test("by origin go with a request and its redirects, as far as these stay on the origin")
    func redirectsByOrigin() async throws {
        let network = ScriptedTransport()
        let urls = [
            "https://m.example.com/feed.json", "https://m.example.com/moved", "https://m.example.com:8443/moved",
            "https://m.example.com/again", "https://cdn.example.com/feed.json",
        ]
        for (url, next) in zip(urls, urls.dropFirst()) {
            network.response(url) { _ in OriginResponse(.found, [.location: next], []) }
        }
        network.response(urls[4], .ok, [:], "{}")
        let token = ["X-Token": "secret"]
        let document = OriginDocument(
            transport: network,
            credentials: try FeedCredentials(fields: ["https://m.example.com": token])
        )
        _ = try await document.bytes(of: try #require(URL(string: urls[0])), limit: 10)
        let name = try #require(HTTPField.Name("X-Token"))
        #expect(network.requests.map { $0.headerFields[name] } == ["secret", "secret", nil, "secret", nil])
        let open = try #require(URL(string: urls[0]))
        #expect(document.openRequest(for: open, fields: [:]) == nil, "another program could send it elsewhere")
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
