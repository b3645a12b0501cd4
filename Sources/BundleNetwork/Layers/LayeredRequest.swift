import BundleServing
import HTTPTypes

/// A request on its way through the layers. A value type; safe to share between threads.
struct LayeredRequest: Sendable {
    /// As the client sent it.
    private(set) var message: HTTPRequest
    /// What it asks for; nil for a target that no bundle could cover.
    let target: RequestTarget?
    /// Whether it is for a document that the user will see.
    let isNavigation: Bool
    /// Whether it opens a page, and not one in a frame.
    let isTopLevel: Bool
    /// The releases of the requesting pages; none where these aren't told.
    let cookies: VersionCookies
    /// Whether the caller can wait for milliseconds.
    private(set) var mayTakeLong: Bool
    /// Whether bundled files may be sent in a coding.
    let mayCode: Bool

    /// - Parameter usesCookies: Whether pages are told their release by a version cookie.
    init(
        _ message: HTTPRequest,
        usesCookies: Bool,
        mayTakeLong: Bool = false,
        mayCode: Bool = true
    ) {
        self.message = message
        target = RequestTarget(message)
        isNavigation = NavigationRequest.isNavigation(message)
        isTopLevel = NavigationRequest.isTopLevel(message)
        cookies = usesCookies ? VersionCookies(message.headerFields[.cookie]) : .none
        self.mayTakeLong = mayTakeLong
        self.mayCode = mayCode
    }

    /// The same for a caller that can wait.
    var takingLong: LayeredRequest {
        var request = self
        request.mayTakeLong = true
        return request
    }

    /// The same with other fields. What it is for, and the page that it comes from, remain those of the client's request.
    func sending(_ message: HTTPRequest) -> LayeredRequest {
        var request = self
        request.message = message
        return request
    }

    /// Whether a bundled file may be the response: these are only read.
    var isForFile: Bool {
        [.get, .head, .options].contains(message.method) && !message.isWebSocketHandshake
    }

    /// Whether the cache may respond in place of the origin.
    ///
    /// - Parameter forwarded: The request as the origin gets it.
    func mayUseCache(_ forwarded: HTTPRequest) -> Bool {
        isForFile && forwarded.method != .options && !forwarded.asksForWebSocket
    }
}

extension HTTPRequest {
    /// The only protocol that a client can switch to. In a tunnel of another one, such as HTTP/2, a client could send an
    /// origin requests that no bundle's mapping has judged.
    static let webSocket = "websocket"

    /// Whether the client asks to switch to WebSocket (RFC 9110 §7.8, RFC 8441 §5), perhaps among other protocols.
    var asksForWebSocket: Bool {
        func contains(_ element: String, _ field: HTTPField.Name) -> Bool {
            headerFields.listElements(of: field).contains { $0.lowercased() == element }
        }
        if method == .connect { return extendedConnectProtocol?.lowercased() == Self.webSocket }
        return method == .get && contains(Self.webSocket, .upgrade) && contains("upgrade", .connection)
    }

    /// Whether it opens a WebSocket (RFC 6455 §4.1, RFC 8441 §5): that is never a request for a file.
    fileprivate var isWebSocketHandshake: Bool {
        asksForWebSocket && (method == .connect || headerFields.contains(.secWebSocketKey))
    }
}
