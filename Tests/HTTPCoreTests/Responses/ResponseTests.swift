import BundleStore
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("Responses")
struct ResponseTests {
    @Test("an explanation is UTF-8 text that isn't cached or sniffed")
    func plain() {
        let response = Response.plain(
            .gatewayTimeout,
            "Größe unbekannt.",
            fields: [.cacheStatus: "a", .cacheControl: "public"]
        )
        #expect(response.head.status == .gatewayTimeout)
        #expect(String(decoding: response.body.array, as: UTF8.self) == "Größe unbekannt.\n")
        #expect(
            response.head.headerFields == [
                .contentType: "text/plain; charset=utf-8", .contentLength: "19", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff", .cacheStatus: "a",
            ]
        )
    }

    @Test("without its body, a response keeps its head")
    func withoutBody() {
        let response = Response.plain(.notFound, "Nothing here.")
        #expect(response.withoutBody.head == response.head)
        #expect(response.withoutBody.body.isEmpty)
    }

    @Test("a body counts and joins its parts, and drops empty ones")
    func body() {
        let body = ResponseBody([ByteSlice(copying: [1, 2]), ByteSlice(copying: []), ByteSlice(copying: [3])])
        #expect(body.parts.count == 2)
        #expect(body.byteCount == 3)
        #expect(body.array == [1, 2, 3])
        #expect(ResponseBody.empty.byteCount == 0)
    }
}
