import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import NIOCore
import NIOSSL
import NIOTLS
import OfflineBundles
import Testing

@testable import BundleTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the field's tutorials build by hand to change requests and responses.
@Suite("What tutorials build by hand: rules", .timeLimit(.minutes(5)))
struct TutorialRulesTests {
    @Test("a header added to every request of every session")
    func addedHeader() async throws {
        try await withLoading([:], { $0.coversAllOrigins = true }) { app in
            let name = try #require(HTTPField.Name("X-App-Version"))
            app.origin.route("/any", to: ScriptedResponse("any"))
            let url = try #require(URL(string: "\(app.origin.baseURL)/any"))
            let sessions = [app.session(), app.session()]
            for session in sessions { _ = try await session.text(url) }
            try app.setRules(#"{"requestFields": {"set": {"X-App-Version": "7"}}}"#)
            for session in sessions { _ = try await session.text(url) }
            #expect(app.origin.requests.map { $0.headerFields[name] } == [nil, nil, "7", "7"])
        }
    }

    @Test("traffic counted per host, up and down, headers included")
    func traffic() async throws {
        let sent = Monitor<[Int]>([])
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nX: 1\r\n\r\n"
        try await withTalkingOrigin { peer in
            while true {
                let request = try await peer.request()
                sent.update { $0.append(request.body.count) }
                try await peer.send(head + String(repeating: "a", count: 5_000))
            }
        } _: { origin in
            try await withLoading([:], { $0.coversAllOrigins = true }) { app in
                for _ in 0..<2 {
                    var request = URLRequest(url: try #require(URL(string: "http://\(origin.authority)/a")))
                    request.httpMethod = "POST"
                    request.httpBody = Data(repeating: 1, count: 700)
                    _ = try await app.session().text(request)
                }
                let traffic = try #require(app.client.traffic.first)
                #expect(app.client.traffic.count == 1)
                #expect(traffic.host == "127.0.0.1")
                #expect(traffic.requestCount == 2)
                #expect(sent.state == [700, 700])
                let least =
                    "POST /a HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 700\r\n\r\n".utf8.count + 700
                #expect((2 * least..<2 * least + 400).contains(Int(traffic.sentByteCount)))
                // URLSession doesn't tell the reason phrase.
                #expect(Int(traffic.receivedByteCount) == 2 * (head.utf8.count - "OK".utf8.count + 5_000))
            }
        }
    }

    @Test("a host replaced by an address with Host and cookies of the name")
    func replacedHost() async throws {
        try await withTalkingOrigin { peer in
            while true {
                let head = try await peer.head()
                let text = "\(head["host"] ?? "") \(head["cookie"] ?? "")"
                try await peer.respond(text, "Set-Cookie: a=1; Path=/\r\nCache-Control: no-store\r\n")
            }
        } _: { origin in
            try await withLoading([:], { $0.coversAllOrigins = true }) { app in
                try app.setRules(#"{"connectTo": "127.0.0.1:\#(origin.port)"}"#)
                let (session, url) = (app.session(), try #require(URL(string: "http://shop.example/a")))
                var texts: [String] = []
                for _ in 0..<2 { texts.append(try await session.text(url).text) }
                #expect(texts == ["shop.example ", "shop.example a=1"])
                // URLSession can't do it over TLS, and says so.
                let secure = try #require(URL(string: "https://shop.example/a"))
                let error = await #expect(throws: URLError.self) { try await session.text(secure) }
                #expect(error?.localizedDescription.contains("check the certificate of that name") == true)
            }
        }
    }

    @Test("a host replaced by an address with Host, SNI, certificate check and cookies of the name")
    func replacedSecureHost() async throws {
        let names = Monitor<[String]>([])
        try await withTemporaryDirectory { folder in
            let certificate = try TestCertificate.make("origin", in: folder)
            let server = try certificate.serverContext()
            let trusting = try TrustedCertificates(adding: [certificate.certificate])
            let transport = NIOTransport(trust: trusting)
            try await withTalkingOrigin { peer in
                while true {
                    let head = try await peer.head()
                    let text = "\(head["host"] ?? "") \(head["cookie"] ?? "")"
                    try await peer.respond(text, "Set-Cookie: a=1; Path=/; Secure\r\nCache-Control: no-store\r\n")
                }
            } _: { origin in
                try await withLoading([:], transport: transport, { $0.coversAllOrigins = true }) { app in
                    try app.setRules(#"{"connectTo": "127.0.0.1:\#(origin.port)"}"#)
                    let session = app.session()
                    let url = try #require(URL(string: "https://localhost/a"))
                    var texts: [String] = []
                    for _ in 0..<2 { texts.append(try await session.text(url).text) }
                    #expect(texts == ["localhost ", "localhost a=1"])
                    #expect(names.state == ["localhost"])
                    // The certificate is for localhost.
                    let other = try #require(URL(string: "https://shop.example/a"))
                    let error = await #expect(throws: URLError.self) { try await session.text(other) }
                    #expect(error?.localizedDescription.contains("its certificate is for another name") == true)
                    #expect(names.state.last == "shop.example")
                }
            } prepare: { connection in
                let names = names
                let recorder = ByteToMessageHandler(
                    SNIHandler { result in
                        if case .hostname(let name) = result { names.update { $0.append(name) } }
                        return connection.eventLoop.makeSucceededVoidFuture()
                    }
                )
                try connection.pipeline.syncOperations.addHandler(recorder)
                try connection.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: server))
            }
            await transport.shutdown()
        }
    }

    @Test("a mock")
    func mock() async throws {
        try await withLoading([:], { ($0.coversAllOrigins, $0.isDevelopment) = (true, true) }) { app in
            try Data("{\"user\": 1}".utf8).write(to: URL(fileURLWithPath: "\(app.folder)/user.json"))
            let mock = #"{"file": "user.json", "status": 201, "fields": {"X-Mock": "yes"}}"#
            try app.setRules(#"{"match": {"path": "https://api.example/user"}, "mock": \#(mock)}"#)
            let url = try #require(URL(string: "https://api.example/user?id=1"))
            let (text, response) = try await app.session().text(url)
            #expect(text == "{\"user\": 1}")
            #expect(response.statusCode == 201)
            #expect(response.value(forHTTPHeaderField: "X-Mock") == "yes")
            #expect(response.mimeType == "application/json")
        }
    }

    @Test(
        "a mock without a file",
        arguments: [(#"{"user": 1}"#, #"{"user":1}"#, "application/json"), (#""hi""#, "hi", "text/plain")]
    )
    func inlineMock(_ content: String, _ expected: String, _ mediaType: String) async throws {
        try await withLoading([:], { ($0.coversAllOrigins, $0.isDevelopment) = (true, true) }) { app in
            try app.setRules(#"{"match": {"path": "https://api.example/user"}, "mock": {"content": \#(content)}}"#)
            let (text, response) = try await app.session().text(try #require(URL(string: "https://api.example/user")))
            #expect(text == expected)
            #expect(response.mimeType == mediaType)
        }
    }

    @Test("a request redirected")
    func redirected() async throws {
        try await withLoading { app in
            app.origin.route("/shop/new/a", to: ScriptedResponse("new"))
            try app.setRules(
                #"{"match": {"path": "/old"}, "redirect": {"status": 307, "to": "\#(app.origin.baseURL)/shop/new/a"}}"#
            )
            let (text, response) = try await app.session().text(app.url("old"))
            #expect(text == "new")
            #expect(response.url == app.url("new/a"))
            #expect(app.origin.requestedPaths == ["/shop/new/a"])
        }
    }

    @Test("heavy pictures blocked on a metered link")
    func metered() async throws {
        try await withLoading { app in
            for path in ["a.jpg", "a.json"] { app.origin.route("/shop/\(path)", to: ScriptedResponse("a")) }
            try app.setRules(#"{"match": {"suffix": [".jpg", ".png"]}, "onlyIfMetered": true, "strategy": "block"}"#)
            let session = app.session()
            var statuses: [Int] = []
            for isMetered in [true, false] {
                app.client.link.isMetered = isMetered
                for path in ["a.jpg", "a.json"] {
                    statuses.append(try await session.text(app.url(path)).response.statusCode)
                }
            }
            #expect(statuses == [403, 200, 200, 200])
        }
    }

    @Test("the app's own code decides what rules can't say")
    func lastResort() async throws {
        try await withLoading(
            [:],
            {
                $0.coversAllOrigins = true
                $0.lastResort = { request in
                    guard request.path?.contains("secret") == true else { return nil }
                    return .respond(Response.plain(.forbidden, "no"))
                }
            }
        ) { app in
            app.origin.route("/a", to: ScriptedResponse("a"))
            let session = app.session()
            var statuses: [Int] = []
            for path in ["a", "secret"] {
                let url = try #require(URL(string: "\(app.origin.baseURL)/\(path)"))
                statuses.append(try await session.text(url).response.statusCode)
            }
            #expect(statuses == [200, 403])
            #expect(app.origin.requestedPaths == ["/a"])
        }
    }
}
