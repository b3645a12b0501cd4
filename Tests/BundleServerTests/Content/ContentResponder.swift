import BundleServing
import BundleStore
import BundleTesting
import HTTPTypes
import Synchronization

/// Responds as the path says, to requests of which it reads the content, or not.
final class ContentResponder: RequestResponder {
    struct State: Sendable {
        /// How many bytes of content have been read, and how many chunks.
        var readByteCount = 0
        var chunkCount = 0
        /// How the reading of content has ended: its trailers, or the type of the error.
        var ends: [String] = []
        /// How many responses were no longer awaited.
        var cancelCount = 0
        /// The beginning of what has come through a tunnel, and the length of it all.
        var tunnelled: [UInt8] = []
        var tunnelledByteCount = 0
        var hasTunnelEnded = false
    }

    private static let link = HTTPField.Name("Link")!

    let monitor = Monitor(State())
    let latch = Latch()
    /// What an origin sends through the tunnel, and as the events.
    let (incoming, fromOrigin) = AsyncStream.makeStream(of: [UInt8].self)

    var generation: Int64 { 0 }

    func begin(_ request: HTTPRequest, on connection: ConnectionInfo) -> ResponseStart {
        let path = request.path ?? ""
        switch path {
        case "/file": return .complete(.plain(.ok, "file"), ResponseSource(.active))
        case "/ready": return .complete(.plain(.notFound, "ready"), ResponseSource(.active), .path)
        default: return .waiting { [self] client in await response(to: path, client) }
        }
    }

    private func response(to path: String, _ client: ClientExchange) async -> ServedResponse {
        switch path {
        case "/read":
            let bytes = await read(client.content)
            let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "\(bytes.count)"])
            return .complete(Response(head: head, body: ResponseBody(bytes)), ResponseSource(.network))
        case "/count":
            try? await latch.wait()
            return .complete(.plain(.ok, "\(await read(client.content).count)"), ResponseSource(.network))
        case "/mirror":
            guard let content = client.content else { return .complete(.plain(.ok, "none"), ResponseSource(.network)) }
            return .streaming(HTTPResponse(status: .ok), content, ResponseSource(.network))
        case "/interim":
            for number in 1...3 {
                client.sendInterim(HTTPResponse(status: .earlyHints, headerFields: [Self.link: "</\(number)>"]))
            }
        case "/many":
            for _ in 0..<10_000 {
                client.sendInterim(HTTPResponse(status: .earlyHints, headerFields: [Self.link: "</a>"]))
            }
        case "/late":
            client.sendInterim(HTTPResponse(status: .continue))
            client.sendInterim(HTTPResponse(status: .switchingProtocols))
            client.sendInterim(HTTPResponse(status: .noContent))
        case "/trailers":
            let body = BodyStream(Self.chunks("content")) {
                [.eTag: "\"1\"", .contentLength: "3", .setCookie: "a=b", .transferEncoding: "chunked"]
            }
            return .streaming(HTTPResponse(status: .ok), body, ResponseSource(.network))
        case "/events":
            let head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"])
            return .streaming(head, BodyStream(incoming), ResponseSource(.network))
        case "/tunnel":
            let head = HTTPResponse(
                status: .switchingProtocols,
                headerFields: [.connection: "Upgrade", .upgrade: "echo", .secWebSocketAccept: "x", .cacheStatus: "a"]
            )
            return .switching(head, tunnel, ResponseSource(.network))
        case "/hang":
            do { try await latch.wait() } catch { monitor.update { $0.cancelCount += 1 } }
        case "/stubborn":
            let latch = latch
            try? await Task.detached { try await latch.wait() }.value
        default: break
        }
        return .complete(.plain(.ok, path), ResponseSource(.network))
    }

    private func read(_ content: BodyStream?) async -> [UInt8] {
        guard let content else { return Array("none".utf8) }
        var bytes: [UInt8] = []
        do {
            for try await chunk in content {
                bytes += chunk
                monitor.update {
                    $0.readByteCount += chunk.count
                    $0.chunkCount += 1
                }
            }
            let end = content.trailers.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
            monitor.update { $0.ends.append(end) }
        } catch {
            monitor.update { $0.ends.append("\(type(of: error))") }
        }
        return bytes
    }

    private var tunnel: Tunnel {
        Tunnel(incoming: BodyStream(incoming)) { [monitor, latch] bytes in
            try await latch.wait()
            monitor.update { state in
                state.tunnelled += bytes.prefix(1_000 - min(1_000, state.tunnelled.count))
                state.tunnelledByteCount += bytes.count
            }
        } end: { [monitor] in
            monitor.update { $0.hasTunnelEnded = true }
        }
    }

    private static func chunks(_ text: String) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for byte in text.utf8 { continuation.yield([byte]) }
            continuation.finish()
        }
    }

    func refusal(_ response: Response, of request: HTTPRequest?) -> Response { response }

    func lost(_ request: HTTPRequest) -> Response { .plain(.internalServerError, "lost") }
}

extension ResponseBody {
    fileprivate init(_ bytes: [UInt8]) {
        self.init([ByteSlice(copying: bytes)])
    }
}
