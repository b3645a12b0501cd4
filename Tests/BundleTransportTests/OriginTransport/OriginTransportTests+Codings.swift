import BundleNetwork
import BundleTesting
import HTTPTypes
import OfflineBundles
import Testing

/// Content codings.
extension OriginTransportTests {
    @Test("leaves content codings, or says nothing of them", arguments: TransportKind.allCases)
    func contentCoding(_ kind: TransportKind) async throws {
        let text = Array(String(repeating: "hello ", count: 1_000).utf8)
        let coded = try Compressed.content(text, isGzip: true)
        try await kind.withOrigin { origin, transport in
            origin.route(
                "/z",
                to: ScriptedResponse(fields: [.contentEncoding: "gzip", .eTag: "\"a\""], body: coded)
            )
            var request = origin.request("/z")
            request.headerFields[.acceptEncoding] = "gzip"
            let response = try await transport.send(request)
            let body = try await response.body.all()
            let fields = response.head.headerFields
            let asked = try #require(origin.requests.first?.headerFields[.acceptEncoding])
            if kind.keeps(.keepsContentCodings) {
                #expect(asked == "gzip")
                #expect(fields[.contentEncoding] == "gzip" && fields[.eTag] == "\"a\"")
                #expect(body == coded)
            } else {
                #expect(asked.contains("gzip"), "what it can undo")
                #expect(fields[.contentEncoding] == nil && fields[.contentLength] == nil)
                #expect(fields[.eTag] == "W/\"a\"")
                #expect(body == text)
            }
        }
    }

    @Test("asks for no coding where it couldn't be undone, or isn't wanted")
    func identity() async throws {
        try await TransportKind.urlSession.withOrigin { origin, transport in
            origin.route("/", to: ScriptedResponse("hello"))
            var request = origin.request("/")
            _ = try await URLSessionTransport(asksForCodings: false).send(request).body.all()
            request.headerFields[.range] = "bytes=0-1"
            request.headerFields[.acceptEncoding] = "gzip"
            _ = try await transport.send(request).body.all()
            #expect(origin.requests.map { $0.headerFields[.acceptEncoding] } == ["identity", "identity"])
        }
    }

    @Test("confirms what was stored under the tag that it has made weak")
    func validation() async throws {
        try await TransportKind.urlSession.withOrigin { origin, transport in
            origin.route("/", to: ScriptedResponse(status: .notModified, fields: [.eTag: "\"a\""]))
            var request = origin.request("/")
            for (sent, received) in [("W/\"a\"", "W/\"a\""), ("\"a\"", "\"a\"")] {
                request.headerFields[.ifNoneMatch] = sent
                let head = try await transport.send(request).head
                #expect(head.headerFields[.eTag] == received)
            }
        }
    }
}
