import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// What a request says about the way its response is sent.
struct MessageExchange: Sendable {
    /// Content up to this length in bytes is read and thrown away; nothing here has a use for any.
    static let maximumDiscardedByteCount = 1 << 20

    let isHead: Bool
    let isHTTP11: Bool
    let closesConnection: Bool

    /// As logs have it.
    var version: String { isHTTP11 ? "HTTP/1.1" : "HTTP/1.0" }

    /// For what could not be parsed.
    static let refused = MessageExchange(isHead: false, isHTTP11: true, closesConnection: true)

    init(isHead: Bool, isHTTP11: Bool, closesConnection: Bool) {
        self.isHead = isHead
        self.isHTTP11 = isHTTP11
        self.closesConnection = closesConnection
    }

    init(_ head: HTTPRequestHead) {
        self.init(
            isHead: head.method == .HEAD,
            isHTTP11: head.version == .http1_1,
            closesConnection: !head.isKeepAlive || head.version != .http1_1 || Self.mayChangeProtocol(head)
                || !Self.isDiscardable(head.headers)
        )
    }

    /// Whether NIO's parser reads nothing after the request, because it may be in another protocol.
    private static func mayChangeProtocol(_ head: HTTPRequestHead) -> Bool {
        head.method == .CONNECT || head.headers.contains(name: "Upgrade")
    }

    /// Whether the request's content will be over soon. One that waits for 100 gets its final answer at once instead
    /// (RFC 9110 §10.1.1), and may then leave the content out or not.
    private static func isDiscardable(_ fields: HTTPHeaders) -> Bool {
        if fields.contains(name: "Expect") || fields.contains(name: "Transfer-Encoding") { return false }
        guard let length = fields.first(name: "Content-Length") else { return true }
        return Int(length).map { $0 <= maximumDiscardedByteCount } ?? false
    }

    /// The head with the fields that frame the message (RFC 9112 §6).
    func head(for response: HTTPResponse) -> HTTPResponseHead {
        var fields = response.headerFields
        fields[.transferEncoding] = nil
        if response.status.kind == .informational || response.status == .noContent {
            fields[.contentLength] = nil
        } else if fields[.contentLength] == nil, response.status != .notModified, !isHead, isHTTP11 {
            fields[.transferEncoding] = "chunked"
        }
        if closesConnection { fields[.connection] = "close" }
        var head = HTTPResponseHead(response)
        head.version = isHTTP11 ? .http1_1 : .http1_0
        head.headers = HTTPHeaders(fields)
        return head
    }
}
