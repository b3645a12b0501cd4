import BundleStore
import HTTPTypes
import Testing

@testable import BundleServing

@Suite("Answers")
struct HTTPAnswerTests {
    @Test("an explanation is UTF-8 text that isn't cached or sniffed")
    func plain() {
        let answer = HTTPAnswer.plain(
            .gatewayTimeout,
            "Größe unbekannt.",
            fields: [.cacheStatus: "a", .cacheControl: "public"]
        )
        #expect(answer.head.status == .gatewayTimeout)
        #expect(String(decoding: answer.body.array, as: UTF8.self) == "Größe unbekannt.\n")
        #expect(
            answer.head.headerFields == [
                .contentType: "text/plain; charset=utf-8", .contentLength: "19", .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff", .cacheStatus: "a",
            ]
        )
    }

    @Test("without its body, an answer keeps its head")
    func withoutBody() {
        let answer = HTTPAnswer.plain(.notFound, "Nothing here.")
        #expect(answer.withoutBody.head == answer.head)
        #expect(answer.withoutBody.body.isEmpty)
    }

    @Test("a body counts and joins its parts, and has no empty ones")
    func body() {
        let body = AnswerBody([ByteSlice(copying: [1, 2]), ByteSlice(copying: []), ByteSlice(copying: [3])])
        #expect(body.parts.count == 2)
        #expect(body.byteCount == 3)
        #expect(body.array == [1, 2, 3])
        #expect(AnswerBody.empty.byteCount == 0)
    }
}
