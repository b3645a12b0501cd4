import BundleModel
import HTTPCore
import HTTPTypes
import NIOCore

/// A request as it is sent. Nothing in it can be read as the end of a line or of the head, and its content is delimited
/// in exactly one way (RFC 9112 §11.2). A value type.
struct EncodedRequest: Sendable {
    /// The request line and the fields, with the empty line.
    let head: ByteBuffer
    let content: BodyStream?
    let framing: ContentFraming
    let onInterim: (@Sendable (HTTPResponse) -> Void)?
    let isHead: Bool
    private let isIdempotent: Bool
    let mayUpgrade: Bool
    let expectsContinue: Bool
    /// Whether the connection may be used again.
    let keepsConnection: Bool

    private static let idempotentMethods: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .put, .delete]
    /// Methods whose meaning allows for content: without any, its length is stated too (RFC 9110 §8.6).
    private static let methodsWithContent: Set<HTTPRequest.Method> = [.post, .put, .patch]

    /// - Parameter proxy: The proxy that gets the request and forwards it; nil for none.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the request can't be sent as HTTP/1.1.
    init(_ call: OriginCall, to url: AbsoluteURL, through proxy: ForwardProxy? = nil) throws {
        let fields = call.request.headerFields
        content = call.content
        framing = try Self.framing(fields, hasContent: call.content != nil)
        onInterim = call.onInterim
        isHead = call.request.method == .head
        isIdempotent = Self.idempotentMethods.contains(call.request.method)
        mayUpgrade = Self.mayUpgrade(call.request)
        keepsConnection = !ConnectionOptions(fields).hasClose
        expectsContinue = content != nil && fields[.expect]?.lowercased() == "100-continue"
        head = try Self.encode(call.request, to: url, through: proxy, framing)
    }

    /// Whether it asks for another protocol (RFC 9110 §7.8).
    static func mayUpgrade(_ request: HTTPRequest) -> Bool {
        ConnectionOptions(request.headerFields).hasUpgrade && request.headerFields[.upgrade] != nil
    }

    /// Whether it may be sent again without being carried out twice (RFC 9110 §9.2.2), and still can be.
    func canBeRepeated(after failure: ExchangeFailure) -> Bool {
        failure.isOfClosedConnection && (isIdempotent || failure.progress == .notSent)
    }

    /// Whether it can be sent again if the origin closes the connection then.
    var canBeRepeatedOnceSent: Bool { isIdempotent && framing == .none }

    private static func framing(_ fields: HTTPFields, hasContent: Bool) throws -> ContentFraming {
        guard hasContent else { return .none }
        let lengths = fields[values: .contentLength]
        guard let text = lengths.first else { return .chunked }
        guard lengths.count == 1, (1...18).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit),
            let length = Int(text)
        else { throw refusal("its Content-Length is no number") }
        return .length(length)
    }

    private static func encode(
        _ request: HTTPRequest,
        to url: AbsoluteURL,
        through proxy: ForwardProxy?,
        _ framing: ContentFraming
    ) throws -> ByteBuffer {
        guard request.method != .connect else { throw refusal("CONNECT is for proxies") }
        var head = ByteBufferAllocator().buffer(capacity: 1_024)
        head.writeString(request.method.rawValue)
        head.writeStaticString(" ")
        // The absolute form (RFC 9112 §3.2.2).
        if proxy != nil { head.writeString("http://\(url.authority)") }
        try writeTarget(of: request, to: &head, isAbsolute: proxy != nil)
        head.writeStaticString(" HTTP/1.1\r\nHost: ")
        head.writeString(url.authority)
        head.writeStaticString("\r\n")
        if let credential = proxy?.credential {
            head.writeString("Proxy-Authorization: \(credential.fieldValue)\r\n")
        }
        for field in request.headerFields where proxy == nil || field.name != .proxyAuthorization {
            try write(field, to: &head, hasContent: framing != .none)
        }
        switch framing {
        case .none where methodsWithContent.contains(request.method): head.writeStaticString("Content-Length: 0\r\n")
        case .none: break
        case .length(let length): head.writeString("Content-Length: \(length)\r\n")
        case .chunked: head.writeStaticString("Transfer-Encoding: chunked\r\n")
        }
        head.writeStaticString("\r\n")
        return head
    }

    /// Without a fragment, which is never sent (RFC 9112 §3.2).
    private static func writeTarget(
        of request: HTTPRequest,
        to head: inout ByteBuffer,
        isAbsolute: Bool
    ) throws {
        var target = request.path ?? "/"
        if let fragment = target.utf8.firstIndex(of: UInt8(ascii: "#")) { target = String(target[..<fragment]) }
        if target.isEmpty || target.utf8.first == UInt8(ascii: "?") { target = "/" + target }
        let isAsterisk = target == "*" && request.method == .options
        let isTarget = target.withUTF8 { HeadBytes.isTarget(UnsafeRawBufferPointer($0), 0..<$0.count) }
        guard isTarget, isAsterisk || target.utf8.first == UInt8(ascii: "/") else {
            throw refusal("its path isn't one; percent-encode it")
        }
        // Without a path, it is the last proxy that asks for the asterisk (RFC 9112 §3.2.4).
        if !isAbsolute || !isAsterisk { head.writeString(target) }
    }

    private static func write(_ field: HTTPField, to head: inout ByteBuffer, hasContent: Bool) throws {
        switch field.name.canonicalName {
        case "content-length", "transfer-encoding", "host": return
        case "expect" where !hasContent: return
        default: try head.writeField(field)
        }
    }

    /// The last chunk, with trailer fields (RFC 9112 §7.1.2). Fields that would state a length are left out (RFC 9110
    /// §6.5.1).
    static func lastChunk(_ trailers: HTTPFields) throws -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: 64)
        bytes.writeStaticString("0\r\n")
        for field in trailers { try write(field, to: &bytes, hasContent: true) }
        bytes.writeStaticString("\r\n")
        return bytes
    }

    fileprivate static func refusal(_ reason: String) -> BundleError {
        BundleError(.invalidArgument, "the request can't be sent: \(reason)")
    }
}

extension ByteBuffer {
    /// Writes a field with the bytes of its value.
    fileprivate mutating func writeField(_ field: HTTPField) throws {
        writeString(field.name.rawName)
        writeStaticString(": ")
        let isText = field.withUnsafeBytesOfValue { value in
            writeBytes(value)
            return HeadBytes.isFieldText(UnsafeRawBufferPointer(value), 0..<value.count)
        }
        guard isText else {
            throw EncodedRequest.refusal("the value of \(field.name.rawName) has control characters")
        }
        writeStaticString("\r\n")
    }
}

/// How the content of a request is delimited (RFC 9112 §6). A value type.
enum ContentFraming: Sendable, Equatable {
    /// There is none.
    case none
    /// By its length.
    case length(Int)
    /// By chunks.
    case chunked
}

/// The options of a request's `Connection` fields that matter to the connection (RFC 9110 §7.6.1). A value type.
struct ConnectionOptions {
    private(set) var hasClose = false
    private(set) var hasUpgrade = false

    init(_ fields: HTTPFields) {
        for value in fields[values: .connection] {
            for option in value.split(separator: ",") {
                switch option.utf8.trimmingBlanks.map({ $0 | 0x20 }) {
                case Array("close".utf8): hasClose = true
                case Array("upgrade".utf8): hasUpgrade = true
                default: break
                }
            }
        }
    }
}

/// The sending of a request's content, as fast as the origin takes it.
struct ContentUpload: Sendable {
    let content: BodyStream
    let framing: ContentFraming
    let connection: ClientConnection
    let response: PendingResponse

    func run() async {
        do {
            try await send()
            connection.loop.runNow { connection.finishContent(of: response) }
        } catch {
            connection.loop.runNow { connection.failContent(error, of: response) }
        }
    }

    private func send() async throws {
        var rest = if case .length(let length) = framing { length } else { Int.max }
        var parts = content.makeAsyncIterator()
        while let part = try await next(&parts) {
            guard part.count <= rest else { throw wrongLength }
            if framing != .chunked { rest -= part.count }
            // An empty chunk would be the last one.
            if !part.isEmpty {
                try await connection.write(part, asChunk: framing == .chunked, isLast: rest == 0, of: response)
            }
        }
        guard framing == .chunked || rest == 0 else { throw wrongLength }
        if framing == .chunked {
            try await connection.write(EncodedRequest.lastChunk(content.trailers), isLast: true, of: response)
        }
    }

    private func next(_ parts: inout BodyStream.AsyncIterator) async throws -> [UInt8]? {
        do {
            return try await parts.next()
        } catch {
            throw ContentFailure(cause: error)
        }
    }

    private var wrongLength: ContentFailure {
        ContentFailure(
            cause: BundleError(.invalidArgument, "the content of the request isn't as long as its Content-Length says")
        )
    }
}

/// The content of a request can't be read: the trouble of the one who sends it, and not the origin's.
struct ContentFailure: Error {
    let cause: any Error
}
