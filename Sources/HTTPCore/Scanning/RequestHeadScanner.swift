import HTTPTypes

/// Finds the head of an HTTP/1 request at the start of the received bytes, and refuses what two receivers could read in
/// two ways: a bare line feed, white space around a name, a folded line, a length stated twice (RFC 9112 §11.2).
///
/// A value type; safe to share between threads. Allocates nothing on the heap; the time is proportional to the number
/// of bytes.
public struct RequestHeadScanner: Sendable {
    /// The result of a scan.
    public enum Result: Sendable {
        /// A complete head.
        case complete(RequestHead)
        /// The beginning of a head; more bytes are needed.
        case incomplete
        /// The client uses HTTP/2 with prior knowledge (RFC 9113 §3.3 and §3.4).
        case http2
        /// A malformed request.
        case malformed(MalformedRequest)
    }

    /// The limits of a head.
    public let limits: RequestHeadLimits

    /// Creates a scanner.
    public init(limits: RequestHeadLimits = RequestHeadLimits()) {
        self.limits = limits
    }

    /// Scans all received bytes that have had no response yet.
    public func scan(_ bytes: UnsafeRawBufferPointer) -> Result {
        guard let first = bytes.first else { return .incomplete }
        // POST, PUT and PATCH begin with the same letter.
        if first == UInt8(ascii: "P") {
            switch HTTP2Preface.isPresent(in: bytes) {
            case true: return .http2
            case nil: return .incomplete
            case false: break
            }
        }
        var reader = RequestHeadReader(bytes, limits: limits)
        do throws(MalformedRequest) {
            return try reader.read() ? .complete(reader.head) : .incomplete
        } catch {
            return .malformed(error)
        }
    }

    /// Whether a refused request appears to be a HEAD, whose response has no content (RFC 9110 §9.3.2).
    public static func isForHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.drop { $0 == HeadBytes.carriageReturn || $0 == HeadBytes.lineFeed }.starts(with: "HEAD ".utf8)
    }
}

/// The head of an HTTP/1 request, as positions in the received bytes (RFC 9112 §3 to §6). Nothing is copied.
///
/// A value type; safe to share between threads.
public struct RequestHead: Sendable {
    /// How the request's content ends (RFC 9112 §6.3).
    public enum Framing: Sendable, Equatable {
        /// There is none.
        case none
        /// After this many bytes.
        case length(Int)
        /// With the last chunk.
        case chunked
    }

    /// The number of bytes through the empty line, including empty lines before the request.
    public internal(set) var byteCount = 0
    /// The position of the method's token (§3.1).
    public internal(set) var methodToken = 0..<0
    /// The method.
    public internal(set) var method = RequestView.Method.other
    /// The position of the target (§3.2).
    public internal(set) var target = 0..<0
    /// The minor version: 0 for HTTP/1.0, else 1.
    public internal(set) var minorVersion: UInt8 = 1
    /// The position of the value of `Host`; nil when there is no such field, which only HTTP/1.0 allows.
    public internal(set) var host: Range<Int>?
    /// The positions of the deciding fields' values.
    public internal(set) var fields = DecidingFields()
    /// The position of the value of `Referer`; nil when there is no such field.
    public internal(set) var referer: Range<Int>?
    /// The position of the value of `User-Agent`; nil when there is no such field.
    public internal(set) var userAgent: Range<Int>?
    /// Whether the client waits for an interim response before it sends content (RFC 9110 §10.1.1), or has another
    /// expectation.
    public internal(set) var expectsContinue = false
    /// How the content ends.
    public internal(set) var framing = Framing.none
    /// Whether no later request gets a response: `Connection` says `close` (§9.6), or another protocol may follow.
    public internal(set) var closesConnection = false
    /// Whether the request is a GET or HEAD of HTTP/1.1 for a path, without content, and ``view(of:)`` has everything
    /// that can change a bundle's response.
    public internal(set) var isPlain = false

    /// A view of everything that can change the response. For a request that ``isPlain``.
    ///
    /// - Parameter bytes: The bytes that the head was scanned from.
    public func view(of bytes: UnsafeRawBufferPointer) -> RequestView {
        RequestView(
            bytes,
            method: method,
            target: target,
            authority: host,
            fields: fields,
            lines: fieldStart..<max(fieldStart, byteCount)
        )
    }

    /// Calls `body` with the positions of each field's name and value, in order.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that the head was scanned from.
    ///   - body: The closure to call.
    public func forEachField(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) {
        HeadBytes.forEachField(in: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]), from: fieldStart, body)
    }

    /// After ` HTTP/1.1` and the line's end.
    private var fieldStart: Int { target.upperBound + 11 }
}

/// The limits of a request's head. A value type; safe to share between threads.
public struct RequestHeadLimits: Sendable, Hashable {
    /// The maximum length of a head in bytes, with its empty line and those before it; at least 1.
    public var byteCount = 32 << 10
    /// The maximum length of a target in bytes; at least 1.
    public var targetByteCount = 8 << 10
    /// The maximum number of fields; at least 1.
    public var fieldCount = 100

    /// The default limits: 32 KiB, with a target of 8 KiB and 100 fields.
    public init() {}
}

/// Why a request is malformed, and the response to it. A value type; safe to share between threads.
public enum MalformedRequest: Error, Sendable, CaseIterable {
    /// An HTTP/1.1 request without exactly one `Host` (RFC 9112 §3.2), an HTTP/2 request without one or with two
    /// different ones (RFC 9113 §8.3.1), or an invalid one.
    case host
    /// A target that has none of the four forms (RFC 9112 §3.2).
    case target
    /// A target that is too long (RFC 9110 §15.5.15).
    case targetTooLong
    /// A head that is too long, or has too many fields (RFC 6585 §5).
    case tooLong
    /// Bytes that aren't an HTTP/1 message (RFC 9112 §2.2).
    case syntax
    /// A length that is stated in two ways, or in none that is valid (RFC 9112 §6.3).
    case framing
    /// An unsupported transfer coding (RFC 9112 §6.1).
    case transferCoding
    /// Another version of HTTP (RFC 9110 §15.6.6).
    case version

    /// The response, which ends an HTTP/1 connection: after such a request it isn't known where the next one begins.
    public var response: Response {
        let fields: HTTPFields = [
            .connection: "close", .cacheStatus: CacheStatus(nil, detail: "bad request").fieldValue,
        ]
        return .plain(status, explanation, fields: fields)
    }

    private var status: HTTPResponse.Status {
        switch self {
        case .host, .target, .syntax, .framing: .badRequest
        case .targetTooLong: .uriTooLong
        case .tooLong: .requestHeaderFieldsTooLarge
        case .transferCoding: .notImplemented
        case .version: .httpVersionNotSupported
        }
    }

    private var explanation: String {
        switch self {
        case .host: "A request needs exactly one Host field, with a host and an optional port."
        case .target: "The request's target is neither a path nor an http or https URL."
        case .targetTooLong: "The request's target is too long."
        case .tooLong: "The request's fields are too long, or too many."
        case .syntax: "This is not a well-formed HTTP/1.1 request."
        case .framing: "The request doesn't state the length of its content in exactly one way."
        case .transferCoding: "The only supported transfer coding is chunked."
        case .version: "This version of HTTP isn't supported; use HTTP/1.1."
        }
    }
}

/// The connection preface of an HTTP/2 client (RFC 9113 §3.4), which no HTTP/1 request begins with.
public enum HTTP2Preface {
    private static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Whether a connection that begins with `received` is HTTP/2; nil when more bytes are needed.
    public static func isPresent(in received: UnsafeRawBufferPointer) -> Bool? {
        let preface = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        let count = min(received.count, preface.count)
        guard received.prefix(count).elementsEqual(preface.prefix(count)) else { return false }
        return count == preface.count ? true : nil
    }
}
