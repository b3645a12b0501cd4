import BundleServing
import BundleStore
import HTTPTypes
import Synchronization
import Testing

@testable import ServerCore

@Suite("A ready response that was selected by further fields")
struct SelectedResponseTests {
    private let responder = SelectingResponder()

    @Test("is sent to the requests that have the same values, and to no others")
    func values() throws {
        // So many places that no more of these share a set than it holds, with any seed of the table.
        var core = RequestCore(responder, capacity: 1 << 12)
        for _ in 1...3 {
            try check("/x", ["X-A: 1", "Other: a"], is: "1: 1", in: &core)
            try check("/x", ["x-a:  1 ", "Other: b"], is: "1: 1", in: &core)
            try check("/x", ["X-A: 2"], is: "2: 2", in: &core)
            try check("/x", [], is: "3: ", in: &core)
            try check("/x", ["X-A: 1", "X-A: 2"], is: "4: 1|2", in: &core)
            try check("/x", ["X-A: 1, 2"], is: "5: 1, 2", in: &core)
            try check("/x?q", ["X-A: 1"], is: "6: 1", in: &core)
        }
        #expect(responder.requests.count == 6)
    }

    @Test("the values of several fields aren't mixed up")
    func severalFields() throws {
        responder.selectors.withLock { $0 = [.a, .b] }
        var core = RequestCore(responder, capacity: 16)
        for _ in 1...2 {
            try check("/x", ["X-A: 1", "X-B: 2"], is: "1: 1;2", in: &core)
            try check("/x", ["X-A: 2", "X-B: 1"], is: "2: 2;1", in: &core)
            try check("/x", ["X-B: 1"], is: "3: ;1", in: &core)
            try check("/x", ["X-A: 1"], is: "4: 1;", in: &core)
        }
    }

    @Test("fields that another response of the same URL is selected by are added to the key")
    func addedFields() throws {
        var core = RequestCore(responder, capacity: 16)
        try check("/x", ["X-A: 1"], is: "1: 1", in: &core)
        responder.selectors.withLock { $0 = [.b] }
        try check("/x", ["X-A: 2", "X-B: 1"], is: "2: 1", in: &core)
        try check("/x", ["X-A: 2", "X-B: 1"], is: "2: 1", in: &core)
        try check("/x", ["X-A: 2", "X-B: 2"], is: "3: 2", in: &core)
        try check("/x", ["X-A: 1", "X-B: 1"], is: "4: 1", in: &core)
        try check("/x", ["X-A: 2", "X-B: 1"], is: "2: 1", in: &core)
    }

    @Test("one that was kept for all values isn't sent any more once there is one for some")
    func formerlyForAll() throws {
        responder.selectors.withLock { $0 = [] }
        var core = RequestCore(responder, capacity: 16)
        try check("/x", ["X-A: 1"], is: "1", in: &core)
        try check("/x", ["X-A: 2"], is: "1", in: &core)
        responder.revocation.withLock { $0.revoke() }
        responder.revocation.withLock { $0 = Revocation() }
        responder.selectors.withLock { $0 = [.a] }
        try check("/x", ["X-A: 1"], is: "2: 1", in: &core)
        try check("/x", ["X-A: 2"], is: "3: 2", in: &core)
        try check("/x", ["X-A: 1"], is: "2: 1", in: &core)
    }

    @Test("there is none for more than four fields, nor for long values")
    func bounds() throws {
        responder.selectors.withLock { $0 = [.a, .b, .c, .d] }
        var core = RequestCore(responder, capacity: 16)
        try check("/x", ["X-A: 1"], is: "1: 1;;;", in: &core)
        try check("/x", ["X-A: 1"], is: "1: 1;;;", in: &core)
        let long = String(repeating: "y", count: 2_048)
        try check("/x", ["X-A: \(long)"], is: "2: \(long);;;", in: &core)
        try check("/x", ["X-A: \(long)"], is: "3: \(long);;;", in: &core)
        responder.selectors.withLock { $0 = [.a, .b, .c, .d, .e] }
        try check("/y", ["X-A: 1"], is: "4: 1;;;;", in: &core)
        try check("/y", ["X-A: 1"], is: "5: 1;;;;", in: &core)
    }

    @Test("its conditions and ranges are decided without the responder once it has made their form")
    func conditions() throws {
        responder.isTagged = true
        var core = RequestCore(responder, capacity: 16)
        try check("/x", ["X-A: 1"], is: "1: 1", in: &core)
        for _ in 1...2 {
            try check("/x", ["X-A: 1", "If-None-Match: \"1\""], is: "304", in: &core)
            try check("/x", ["X-A: 1", "If-None-Match: \"2\""], is: "1: 1", in: &core)
        }
        try check("/x", ["X-A: 2", "If-None-Match: \"9\""], is: "3: 2", in: &core)
        try check("/x", ["X-A: 2", "If-None-Match: \"9\""], is: "3: 2", in: &core)
        #expect(responder.requests.count == 3)
    }

    @Test("fields that come by HTTP/2 select as well")
    func decodedFields() throws {
        var core = RequestCore(responder, capacity: 16)
        for _ in 1...2 {
            try check("/x", ["X-A: 1"], is: "1: 1", isDecoded: true, in: &core)
            try check("/x", ["X-A: 2"], is: "2: 2", isDecoded: true, in: &core)
        }
        #expect(responder.requests.count == 2)
    }

    private func check(
        _ path: String,
        _ fields: [String],
        is expected: String,
        isDecoded: Bool = false,
        in core: inout RequestCore
    ) throws {
        let bytes = Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n".utf8)
        let body = try bytes.withUnsafeBytes { bytes -> String? in
            guard case .complete(let head) = RequestHeadScanner().scan(bytes), head.isPlain else {
                throw MalformedRequest.syntax
            }
            let view =
                isDecoded
                ? RequestView(bytes, method: .get, target: head.target, authority: head.host, fields: head.fields)
                : head.view(of: bytes)
            switch core.respond(
                to: view,
                as: .http1,
                on: ConnectionInfo(port: nil, isLocal: true),
                { () throws(MalformedRequest) in try HTTPRequest(head, in: bytes) }
            ) {
            case .ready(let form):
                guard form.status == 200 else { return "\(form.status)" }
                return form.body.map { String(decoding: $0.array, as: UTF8.self) }
            case .single(let response, _): return String(decoding: response.body.array, as: UTF8.self)
            case .malformed(let problem): throw problem
            case .waiting: throw MalformedRequest.target
            }
        }
        #expect(body == expected)
    }
}

extension HTTPField.Name {
    fileprivate static let a = HTTPField.Name("X-A")!
    fileprivate static let b = HTTPField.Name("X-B")!
    fileprivate static let c = HTTPField.Name("X-C")!
    fileprivate static let d = HTTPField.Name("X-D")!
    fileprivate static let e = HTTPField.Name("X-E")!
}

/// Responds with the number of the request and the values that it is selected by.
private final class SelectingResponder: RequestResponder {
    let revocation = Mutex(Revocation())
    let selectors = Mutex<[HTTPField.Name]>([.a])
    private let tagged = Mutex(false)
    private let asked = Mutex<[HTTPRequest]>([])

    var generation: Int64 { 0 }
    var requests: [HTTPRequest] { asked.withLock { $0 } }
    var isTagged: Bool {
        get { tagged.withLock { $0 } }
        set { tagged.withLock { $0 = newValue } }
    }

    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart {
        let number = asked.withLock { requests in
            requests.append(request)
            return requests.count
        }
        let selectors = selectors.withLock { $0 }
        let values = selectors.map { request.headerFields[values: $0].joined(separator: "|") }.joined(separator: ";")
        let isUnchanged = isTagged && request.headerFields[.ifNoneMatch] == "\"1\""
        let response = Response(
            head: HTTPResponse(
                status: isUnchanged ? .notModified : .ok,
                headerFields: isTagged ? [.eTag: "\"\(isUnchanged ? 1 : number)\""] : [:]
            ),
            body: ResponseBody(isUnchanged ? "" : selectors.isEmpty ? "\(number)" : "\(number): \(values)")
        )
        let validity = ResponseValidity(until: .now + .seconds(3_600), revocation.withLock { $0 })
        return .complete(response, ResponseSource(.cache), .target(while: validity, selectedBy: selectors))
    }

    func refusal(_ response: Response, of request: HTTPRequest?) -> Response { response }

    func lost(_ request: HTTPRequest) -> Response { .plain(.internalServerError, "lost") }
}
