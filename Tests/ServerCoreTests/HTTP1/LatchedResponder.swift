import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes

/// “now” is ready, “slow” waits for the latch, “long” takes a moment, “stream” is relayed, a number has so many bytes, anything else is a
/// response of its own. For “agent” it has to know the User-Agent.
struct LatchedResponder: RequestResponder {
    static let long = [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)

    /// Other bytes for another length.
    static func content(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "a") + UInt8(count % 26), count: count)
    }

    let latch = Latch()
    var generation: Int64 { 0 }

    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart {
        let path = request.path ?? ""
        let response = Response.plain(.ok, path)
        switch path {
        case "/now": return .complete(.plain(.notFound, path), ResponseSource(.active), .path)
        case "/slow":
            return .waiting { _ in
                try? await latch.wait()
                return .complete(response, ResponseSource(.network))
            }
        case "/agent":
            let agent = request.headerFields[.userAgent]
            guard let agent else { return .waiting { _ in .complete(.plain(.ok, "none"), ResponseSource(.network)) } }
            return .complete(.plain(.ok, agent), ResponseSource(.cache))
        case "/long":
            return .waiting { _ in
                let head = HTTPResponse(status: .ok, headerFields: [.contentLength: String(Self.long.count)])
                let body = ResponseBody([ByteSlice(copying: Self.long)])
                return .complete(Response(head: head, body: body), ResponseSource(.network))
            }
        case "/stream":
            return .waiting { _ in
                .streaming(HTTPResponse(status: .ok), BodyStream(Self.content(1_000)), ResponseSource(.network))
            }
        default:
            guard let count = Int(path.dropFirst()) else { return .complete(response, ResponseSource(.server)) }
            let head = HTTPResponse(status: .ok, headerFields: [.contentLength: String(count)])
            let body = ResponseBody([ByteSlice(copying: Self.content(count))])
            return .complete(Response(head: head, body: body), ResponseSource(.server))
        }
    }

    func refusal(_ response: Response, of request: HTTPRequest?) -> Response { response }

    func lost(_ request: HTTPRequest) -> Response { .plain(.internalServerError, "lost") }
}
