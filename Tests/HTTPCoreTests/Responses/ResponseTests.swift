import BundleStore
import Foundation
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

    @Test(
        "made of data, it has the fields that are given and its length, unless its status allows no content",
        arguments: [(200, "3"), (404, "3"), (204, nil), (304, nil)] as [(Int, String?)]
    )
    func data(_ status: Int, length: String?) {
        let (image, status) = (Data([0, 0xFF, 10]), HTTPResponse.Status(code: status))
        let response = Response(
            status: status,
            headerFields: [.contentType: "image/x", .contentLength: "9"],
            data: image
        )
        #expect(response.head.status == status)
        #expect(response.head.headerFields[.contentType] == "image/x")
        #expect(response.head.headerFields[.contentLength] == length)
        #expect(response.body.data == (length == nil ? Data() : image))
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
