import BundleServing
import Foundation
import HTTPTypes

extension OriginRequest {
    /// The client's request, addressed to `target`, when only the origin can respond to it: with the fields of its content,
    /// its preconditions and its codings, and with a switch of protocols if it asks for one.
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
        if let name = request.upgradeProtocol {
            result.headerFields[.connection] = "Upgrade"
            result.headerFields[.upgrade] = name
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
    /// The protocol that the client asks to switch to (RFC 9110 §7.8, RFC 8441 §4); nil when it asks for none, or for
    /// HTTP/2, which a client may do with any request.
    var upgradeProtocol: String? {
        if method == .connect { return extendedConnectProtocol }
        guard method == .get, let name = headerFields[.upgrade], !name.lowercased().hasPrefix("h2c"),
            headerFields.listElements(of: .connection).contains(where: { $0.lowercased() == "upgrade" })
        else { return nil }
        return name
    }

    /// Whether it opens a WebSocket (RFC 6455 §4.1, RFC 8441 §5): that is never a request for a file.
    var isWebSocketHandshake: Bool {
        method == .connect || upgradeProtocol?.lowercased() == "websocket" && headerFields.contains(.secWebSocketKey)
    }
}
