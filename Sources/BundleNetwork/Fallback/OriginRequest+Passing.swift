import BundleServing
import Foundation
import HTTPTypes

extension OriginRequest {
    /// The client's request, addressed to `target`, when only the origin can respond to it: with the fields of its content,
    /// its preconditions and its codings, and with the switch to WebSocket if it asks for that.
    /// An extended CONNECT becomes an upgrade (RFC 8441 §5), since HTTP/1.1 is spoken to origins.
    ///
    /// - Parameter hasContent: Whether the request has content.
    static func passing(
        _ request: HTTPRequest,
        target: OriginTarget,
        forwarding forwarded: [String],
        pseudonym: String?,
        hasContent: Bool
    ) -> HTTPRequest {
        var result = make(from: request, target: target, forwarding: forwarded, pseudonym: pseudonym)
        for name in conditionalFields { result.headerFields[fields: name] = request.headerFields[fields: name] }
        if hasContent {
            for name in contentFields { result.headerFields[fields: name] = request.headerFields[fields: name] }
        }
        if request.asksForWebSocket {
            result.headerFields[.connection] = "Upgrade"
            result.headerFields[.upgrade] = HTTPRequest.webSocket
        }
        if request.method == .connect { addHandshake(to: &result) }
        return result
    }

    private static let conditionalFields: [HTTPField.Name] = [
        .acceptEncoding, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]

    private static let contentFields: [HTTPField.Name] = [.contentLength, .expect]

    /// The handshake of RFC 6455 §4.1, whose key the client of an extended CONNECT doesn't have.
    private static func addHandshake(to request: inout HTTPRequest) {
        request.method = .get
        let key = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        request.headerFields[.secWebSocketKey] = Data(key).base64EncodedString()
    }
}

extension HTTPRequest {
    /// The only protocol that a client can switch to. In a tunnel of another one, such as HTTP/2, a client could send an
    /// origin requests that no bundle's mapping has judged.
    fileprivate static let webSocket = "websocket"

    /// Whether the client asks to switch to WebSocket (RFC 9110 §7.8, RFC 8441 §5), perhaps among other protocols.
    var asksForWebSocket: Bool {
        func contains(_ element: String, _ field: HTTPField.Name) -> Bool {
            headerFields.listElements(of: field).contains { $0.lowercased() == element }
        }
        if method == .connect { return extendedConnectProtocol?.lowercased() == Self.webSocket }
        return method == .get && contains(Self.webSocket, .upgrade) && contains("upgrade", .connection)
    }

    /// Whether it opens a WebSocket (RFC 6455 §4.1, RFC 8441 §5): that is never a request for a file.
    var isWebSocketHandshake: Bool {
        asksForWebSocket && (method == .connect || headerFields.contains(.secWebSocketKey))
    }
}
