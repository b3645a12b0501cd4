import BundleModel
import Foundation
import HTTPTypes

/// A response ready to be sent, except for what the transport adds: `Date` and its own framing.
///
/// A value type; safe to share between threads.
public struct Response: Sendable {
    /// Status and fields. `Content-Length` is always present and correct where HTTP allows it.
    public var head: HTTPResponse
    /// The body; empty for HEAD, 204 and 304.
    public var body: ResponseBody

    /// Combines a head and a body without changing them.
    public init(head: HTTPResponse, body: ResponseBody = .empty) {
        self.head = head
        self.body = body
    }

    /// Makes a response with a body, such as one of an app's own code.
    ///
    /// - Parameters:
    ///   - status: The status. Default: 200.
    ///   - headerFields: The fields, such as `Content-Type`. `Content-Length` is set.
    ///   - data: The body, which is copied; left out where the status allows none, as 204 and 304.
    public init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], data: Data) {
        var fields = headerFields
        fields[.contentLength] = status.allowsContent ? String(data.count) : nil
        self.init(
            head: HTTPResponse(status: status, headerFields: fields),
            body: status.allowsContent ? ResponseBody([ByteSlice(copying: data)]) : .empty
        )
    }

    /// A short explanation, in plain text unless said otherwise. It must not be cached: it may soon be outdated.
    ///
    /// - Parameters:
    ///   - status: For example 404 or 504.
    ///   - text: A sentence for a person; a line break is added.
    ///   - fields: Further fields, such as `Cache-Status`, and another `Content-Type`. The rest of the explanation's own take
    ///     precedence.
    public static func plain(_ status: HTTPResponse.Status, _ text: String, fields: HTTPFields = [:]) -> Response {
        let body = ResponseBody(text + "\n")
        var fields = fields
        fields[.contentType] = fields[.contentType] ?? MediaType.plainText.string
        fields[.contentLength] = String(body.byteCount)
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        return Response(head: HTTPResponse(status: status, headerFields: fields), body: body)
    }

    /// The response to a HEAD request: `Content-Length` is still that of GET (RFC 9110 §9.3.2).
    public var withoutBody: Response { Response(head: head) }
}

/// The bytes of a response: slices of the store, and the bytes between them. Nothing of the store is copied.
///
/// A value type; safe to share between threads.
public struct ResponseBody: Sendable {
    /// The slices to send, in order. None is empty.
    public let parts: [ByteSlice]

    /// Combines slices in this order.
    public init(_ parts: [ByteSlice] = []) {
        self.parts = parts.filter { $0.count > 0 }
    }

    /// Creates a body from text, in UTF-8.
    public init(_ text: String) {
        self.init([ByteSlice(copying: Array(text.utf8))])
    }

    /// An empty body.
    public static let empty = ResponseBody()

    /// The total number of bytes.
    public var byteCount: Int { parts.reduce(0) { $0 + $1.count } }

    /// Whether some of the bytes could not be read, see ``/BundleModel/ByteSlice/hasFaulted``: check it after they were
    /// copied and before they are sent.
    public var hasFaulted: Bool { parts.contains(where: \.hasFaulted) }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { parts.isEmpty }

    /// A copy of all bytes.
    public var array: [UInt8] { parts.flatMap(\.array) }

    /// The same as `Data`.
    public var data: Data { parts.reduce(into: Data()) { $0.append($1.data) } }
}

extension HTTPResponse.Status {
    /// Whether a response with this status may have content and a `Content-Length` (RFC 9110 §6.4.1, §8.6).
    package var allowsContent: Bool { kind != .informational && self != .noContent && self != .notModified }

    /// The reason phrase that every response with this status has (RFC 9112 §4), whether it was made here, received or
    /// stored: that of the IANA registry; empty for a code that isn't in it.
    package var standardReasonPhrase: String { Self.standardReasonPhrases[code] ?? "" }

    private static let standardReasonPhrases: [Int: String] = {
        let statuses: [Self] = [
            .continue, .switchingProtocols, .earlyHints, .ok, .created, .accepted, .nonAuthoritativeInformation,
            .noContent, .resetContent, .partialContent, .multipleChoices, .movedPermanently, .found, .seeOther,
            .notModified, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound,
            .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone,
            .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
            .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableContent, .tooEarly,
            .upgradeRequired, .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge,
            .unavailableForLegalReasons, .internalServerError, .notImplemented, .badGateway, .serviceUnavailable,
            .gatewayTimeout, .httpVersionNotSupported, .networkAuthenticationRequired,
        ]
        let others = [
            102: "Processing", 207: "Multi-Status", 208: "Already Reported", 226: "IM Used", 305: "Use Proxy",
            402: "Payment Required", 423: "Locked", 424: "Failed Dependency", 506: "Variant Also Negotiates",
            507: "Insufficient Storage", 508: "Loop Detected",
        ]
        return others.merging(statuses.map { ($0.code, $0.reasonPhrase) }) { $1 }
    }()
}
