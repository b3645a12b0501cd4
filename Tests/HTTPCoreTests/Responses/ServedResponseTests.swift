import BundleModel
import HTTPTypes
import Testing

@testable import HTTPCore

@Suite("Responses on their way")
struct ServedResponseTests {
    @Test(
        "without success, the error says whether it is missing, can be had later, or is something else",
        arguments: [
            (301, .unexpectedResponse), (400, .unexpectedResponse), (401, .unexpectedResponse),
            (403, .unexpectedResponse),
            (404, .notFound), (408, .networkUnavailable), (410, .notFound), (429, .networkUnavailable),
            (500, .networkUnavailable), (503, .networkUnavailable), (504, .networkUnavailable),
        ] as [(Int, BundleError.Code)]
    )
    func failure(_ status: Int, _ code: BundleError.Code) async throws {
        let body = Response.plain(HTTPResponse.Status(code: status), "why")
        let response = ServedResponse.complete(body, ResponseSource(.network))
        let error = await #expect(throws: BundleError.self) { try await response.bytes() }
        #expect(error?.code == code)
        #expect(error?.message.contains("status \(status)") == true)
        #expect(try await response.bytes(ofAnyStatus: true) == Array("why\n".utf8))
    }

    @Test("with success, the content is given", arguments: [200, 203, 206])
    func success(_ status: Int) async throws {
        let body = Response.plain(HTTPResponse.Status(code: status), "what")
        #expect(try await ServedResponse.complete(body, ResponseSource(.network)).bytes() == Array("what\n".utf8))
    }
}
