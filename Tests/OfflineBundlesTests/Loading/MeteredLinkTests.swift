import BundleTesting
import Foundation
import HTTPTypes
import OfflineBundles
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A session on a metered link", .timeLimit(.minutes(5)))
struct MeteredLinkTests {
    @Test("asks no origin when its configuration or the request forbids that", arguments: [true, false])
    func forbiddenLink(isOfRequest: Bool) async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse(fields: [.cacheControl: "max-age=600"], body: [65]))
            app.origin.route("/shop/b", to: ScriptedResponse("b"))
            let configuration = URLSessionConfiguration.ephemeral
            configuration.allowsCellularAccess = isOfRequest
            BundleURLProtocol.install(app.client, in: configuration)
            let session = URLSession(configuration: configuration)
            func load(_ path: String, _ method: String = "GET") async throws -> String {
                let request = app.request(path) { ($0.httpMethod, $0.allowsCellularAccess) = (method, !isOfRequest) }
                return try await session.text(request).text
            }
            app.client.link.isMetered = false
            var texts = [try await load("a")]
            app.client.link.isMetered = true
            for path in ["", "a"] { texts.append(try await load(path)) }
            #expect(texts == ["A", "<p>shop</p>", "A"])
            for (path, method) in [("b", "GET"), ("a", "POST")] {
                let error = await #expect(throws: URLError.self) { try await load(path, method) }
                #expect(error?.code == .notConnectedToInternet)
            }
            #expect(app.origin.requestedPaths == ["/shop/a"])
            app.client.link.isMetered = false
            let text = try await load("b")
            #expect(text == "b")
        }
    }

    @Test("gets what there is without a network: the copies of a rule, and what the app's own code responds to a POST")
    func responses() async throws {
        try await withLoading(
            ["index.html": "<p>shop</p>"],
            { configuration in
                configuration.lastResort = { request in
                    request.method == .post ? .respond(BundleClient.Response(data: Data("hit".utf8))) : nil
                }
            }
        ) { app in
            try app.setRules(#"{"match": {"path": "/page"}, "offline": "always"}"#)
            let page = ScriptedResponse(fields: [.cacheControl: "no-store"], body: Array("page".utf8))
            app.origin.route("/shop/page", to: page)
            let session = app.session()
            func load(_ path: String, _ method: String = "GET") async throws -> String {
                let request = app.request(path) { ($0.httpMethod, $0.allowsCellularAccess) = (method, false) }
                return try await session.text(request).text
            }
            var texts = [try await load("page")]
            app.client.link.isMetered = true
            texts.append(try await load("page"))
            texts.append(try await load("hit", "POST"))
            #expect(texts == ["page", "page", "hit"])
            #expect(app.origin.requestedPaths == ["/shop/page"])
        }
    }

    @Test("asks the origin otherwise")
    func allowedLink() async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse("a"))
            app.client.link.isMetered = true
            let text = try await app.session().text(app.url("a")).text
            #expect(text == "a")
        }
    }
}
