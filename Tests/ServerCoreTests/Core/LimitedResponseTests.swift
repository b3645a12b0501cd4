import BundleServing
import BundleStore
import HTTPTypes
import Synchronization
import Testing

@testable import ServerCore

@Suite("A ready response with a limited validity")
struct LimitedResponseTests {
    private let responder = NumberingResponder()

    @Test("is sent until it is revoked, and then made again")
    func revoked() throws {
        var core = RequestCore(responder, capacity: 16)
        try check("/cached", is: "1", in: &core)
        try check("/cached", is: "1", in: &core)
        responder.revocation.withLock { $0.revoke() }
        responder.revocation.withLock { $0 = Revocation() }
        try check("/cached", is: "2", in: &core)
        try check("/cached", is: "2", in: &core)
    }

    @Test("isn't sent after its end")
    func overdue() throws {
        var core = RequestCore(responder, capacity: 16)
        responder.end.withLock { $0 = .now }
        for number in 1...3 {
            // Made, not allowed, and sent as a single response.
            try check("/cached", is: "\(number)", in: &core)
        }
    }

    @Test(
        "isn't sent to a request that directs caches, which doesn't replace it (RFC 9111 §5.2.1, §5.4)",
        arguments: ["Cache-Control: max-age=0", "Cache-Control: no-cache", "Pragma: no-cache"]
    )
    func directives(_ field: String) throws {
        var core = RequestCore(responder, capacity: 16)
        try check("/cached", is: "1", in: &core)
        try check("/cached", field, is: "2", in: &core)
        try check("/cached", is: "1", in: &core)
        let asked = responder.fields.withLock { $0 }
        #expect(asked.count { $0[.cacheControl] != nil || $0[.pragma] != nil } == 1)
    }

    @Test(
        "a bundled file's doesn't depend on them",
        arguments: ["Cache-Control: max-age=0", "Pragma: no-cache", "Cache-Control: only-if-cached"]
    )
    func bundled(_ field: String) throws {
        var core = RequestCore(responder, capacity: 16)
        try check("/bundled", field, is: "1", in: &core)
        try check("/bundled", is: "1", in: &core)
        try check("/bundled", field, is: "1", in: &core)
    }

    @Test("leaves conditions to the responder when it has no entity tag")
    func conditions() throws {
        var core = RequestCore(responder, capacity: 16)
        try check("/untagged", is: "1", in: &core)
        try check("/untagged", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", is: "2", in: &core)
        // The whole of it is made ready for ranges first.
        try check("/untagged", "Range: bytes=0-0", is: "4", in: &core)
        try check("/untagged", is: "1", in: &core)
    }

    private func check(
        _ path: String,
        _ field: String = "X: y",
        is expected: String,
        in core: inout RequestCore
    ) throws {
        let bytes = Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n".utf8)
        let body = try bytes.withUnsafeBytes { bytes in
            guard case .complete(let head) = RequestHeadScanner().scan(bytes), head.isPlain else {
                throw MalformedRequest.syntax
            }
            let view = head.view(of: bytes)
            switch core.respond(
                to: view,
                as: .http1,
                on: ConnectionInfo(port: nil, isLocal: true),
                { () throws(MalformedRequest) in try HTTPRequest(head, in: bytes) }
            ) {
            case .ready(let form): return form.body.map { String(decoding: $0.array, as: UTF8.self) } ?? ""
            case .single(let response, _): return String(decoding: response.body.array, as: UTF8.self)
            case .malformed(let problem): throw problem
            case .waiting: throw MalformedRequest.target
            }
        }
        #expect(body == expected)
    }
}

/// Responds with the number of the request, while its revocation isn't revoked and its end hasn't come.
private final class NumberingResponder: RequestResponder {
    let revocation = Mutex(Revocation())
    let end = Mutex(ContinuousClock.now + .seconds(3_600))
    let fields = Mutex<[HTTPFields]>([])

    var generation: Int64 { 0 }

    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart {
        let number = fields.withLock { fields in
            fields.append(request.headerFields)
            return fields.count
        }
        let validity = ResponseValidity(until: end.withLock { $0 }, revocation.withLock { $0 })
        let isTagged = request.path != "/untagged"
        let response = Response(
            head: HTTPResponse(status: .ok, headerFields: isTagged ? [.eTag: "\"\(number)\""] : [:]),
            body: ResponseBody("\(number)")
        )
        return .complete(
            response,
            ResponseSource(.cache),
            request.path == "/bundled" ? .path : .target(while: validity)
        )
    }

    func refusal(_ response: Response, of request: HTTPRequest?) -> Response { response }

    func lost(_ request: HTTPRequest) -> Response { .plain(.internalServerError, "lost") }
}
