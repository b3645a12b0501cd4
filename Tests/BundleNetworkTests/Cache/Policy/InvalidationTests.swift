import BundleNetwork
import HTTPTypes
import Testing

@Suite("Invalidation")
struct InvalidationTests {
    @Test(
        "§4.4: a method that isn't safe invalidates when it succeeds",
        arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "UNKNOWN"],
        [
            (200, true), (201, true), (204, true), (301, true), (399, true), (199, false), (400, false), (404, false),
            (500, false),
        ]
    )
    func unsafe(method: String, outcome: (status: Int, invalidates: Bool)) {
        let status = HTTPResponse.Status(code: outcome.status)
        #expect(CachePolicy.invalidates(method: HTTPRequest.Method(method)!, status: status) == outcome.invalidates)
    }

    @Test("§4.4: a safe method never does", arguments: ["GET", "HEAD", "OPTIONS", "TRACE"], [200, 204, 302, 404, 500])
    func safe(method: String, status: Int) {
        let status = HTTPResponse.Status(code: status)
        #expect(!CachePolicy.invalidates(method: HTTPRequest.Method(method)!, status: status))
    }
}
