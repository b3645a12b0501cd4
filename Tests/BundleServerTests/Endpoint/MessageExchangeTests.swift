import HTTPTypes
import NIOHTTP1
import Testing

@testable import BundleServer

@Suite("MessageExchange")
struct MessageExchangeTests {
    @Test(
        "a body of unknown length is framed as the client's version allows",
        arguments: [
            (HTTPMethod.GET, HTTPVersion.http1_1, "chunked", nil), (.GET, .http1_0, nil, "close"),
            (.HEAD, .http1_1, nil, nil),
        ] as [(HTTPMethod, HTTPVersion, String?, String?)]
    )
    func unknownLength(_ method: HTTPMethod, _ version: HTTPVersion, _ coding: String?, _ connection: String?) {
        let head = exchange(method, version).head(for: HTTPResponse(status: .ok))
        #expect(head.version == version)
        #expect(head.headers.first(name: "transfer-encoding") == coding)
        #expect(head.headers.first(name: "connection") == connection)
    }

    @Test("a known length stays, but not where there can be no body")
    func knownLength() {
        for (status, length) in [(HTTPResponse.Status.ok, "5"), (.notModified, "5"), (.noContent, nil)] {
            let response = HTTPResponse(status: status, headerFields: [.contentLength: "5"])
            let head = exchange(.GET, .http1_1).head(for: response)
            #expect(head.headers["content-length"] == (length.map { [$0] } ?? []))
            #expect(!head.headers.contains(name: "transfer-encoding"))
        }
    }

    @Test("a coding that only held on the way from the origin isn't passed on")
    func hopByHop() {
        let response = HTTPResponse(
            status: .ok,
            headerFields: [.contentLength: "5", .transferEncoding: "chunked"]
        )
        #expect(!exchange(.GET, .http1_1).head(for: response).headers.contains(name: "transfer-encoding"))
    }

    private func exchange(_ method: HTTPMethod, _ version: HTTPVersion) -> MessageExchange {
        MessageExchange(HTTPRequestHead(version: version, method: method, uri: "/"))
    }
}
