import BundleNetwork
import BundleServing
import Foundation
import HTTPTypes

/// A request, its response and the times between them, for tests of the cache's rules.
///
/// By default the response was sent, received and dated at ``Exchange/start``.
struct CacheExchange {
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    var request = HTTPRequest(method: .get, scheme: "https", authority: "m.example.com", path: "/a")
    var response = HTTPResponse(status: .ok)
    var url = URL(string: "https://m.example.com/a")!
    var requestTime = CacheExchange.start
    var responseTime = CacheExchange.start

    /// - Parameters:
    ///   - status: The response's status code.
    ///   - response: Its field lines, in addition to a Date.
    ///   - request: The request's field lines.
    init(status: Int = 200, _ response: [(String, String)] = [], request: [(String, String)] = []) {
        self.request.headerFields = CacheExchange.fields(request)
        self.response.status = HTTPResponse.Status(code: status)
        self.response.headerFields = CacheExchange.fields([("Date", CacheExchange.date(0))] + response)
    }

    /// An exchange whose response has one Cache-Control line.
    init(cacheControl: String) {
        self.init([("Cache-Control", cacheControl)])
    }

    /// `start` plus some seconds, in HTTP's format.
    static func date(_ offset: TimeInterval) -> String {
        HTTPDate(start.addingTimeInterval(offset))!.fieldValue
    }

    static func fields(_ lines: [(String, String)]) -> HTTPFields {
        HTTPFields(lines.map { HTTPField(name: HTTPField.Name($0.0)!, value: $0.1) })
    }

    /// A GET request for the same resource.
    static func get(_ lines: [(String, String)] = []) -> HTTPRequest {
        CacheExchange(request: lines).request
    }

    func isStorable(shared: Bool) -> Bool {
        CachePolicy(isShared: shared).isStorable(request: request, response: response)
    }

    func stored(shared: Bool = false) -> StoredResponse { stored(by: CachePolicy(isShared: shared)) }

    func stored(by policy: CachePolicy) -> StoredResponse {
        policy.storedResponse(
            to: request,
            url: url,
            response: response,
            bodyLength: 5,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    func freshness(after seconds: TimeInterval = 0, shared: Bool = false) -> Freshness {
        CachePolicy(isShared: shared).freshness(
            of: stored(shared: shared),
            now: CacheExchange.start.addingTimeInterval(seconds)
        )
    }
}
