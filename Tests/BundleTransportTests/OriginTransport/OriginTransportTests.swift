import BundleTransport
import OfflineBundles
import Testing

/// What ``/BundleNetwork/OriginTransport`` promises, on each transport. The subjects have files of their own.
@Suite("A transport", .timeLimit(.minutes(5)))
struct OriginTransportTests {
    @Test("is missing what its platform forces, for a reason", arguments: TransportPromise.allCases)
    func reasons(_ promise: TransportPromise) {
        // The row of the table; what it does instead is checked by the test of the promise.
        print("\(promise.rawValue): NIOTransport yes; URLSessionTransport \(promise.urlSessionReason ?? "yes")")
        #expect(TransportKind.nio.keeps(promise))
    }
}

/// What a transport promises and a platform may make impossible.
enum TransportPromise: String, CaseIterable {
    case addsNoFields
    case keepsContentCodings
    case keepsFieldLines
    case passesFieldBytes
    case keepsDotSegments
    case waitsForReader
    case sendsContentAsItIsRead
    case passesTrailers
    case switchesProtocols
    case sendsContentWithGet
    case connectsToOtherAddressOverTLS
    case refusesUnknownStatus
    case survivesCutHeads

    /// Why `URLSession` on Linux doesn't keep it; nil when it does.
    var urlSessionReason: String? {
        switch self {
        case .addsNoFields:
            "URLSession adds Accept, Accept-Language, Connection and User-Agent where a request has none"
        case .keepsContentCodings: "URLSession undoes content codings; so the head says nothing of them"
        case .keepsFieldLines: "URLSession joins the lines of a field; Set-Cookie is taken apart again"
        case .passesFieldBytes: "URLSession's fields are text: other bytes fail the request or the response"
        case .keepsDotSegments: "libcurl removes dot segments from paths (RFC 3986 §6.2.2.3)"
        case .waitsForReader: "a suspended task goes on receiving; what isn't read is in a temporary file"
        case .sendsContentAsItIsRead: "URLSession reads a stream on the session's queue, which must not wait"
        case .passesTrailers:
            "URLSession has no trailers; on Linux a response with trailers ends the process (“there's no response”)"
        case .switchesProtocols: "URLSession switches no protocols"
        case .sendsContentWithGet: "URLSession fails a GET with content"
        case .connectsToOtherAddressOverTLS: "URLSession names the URL's host in the TLS handshake and in its check"
        case .refusesUnknownStatus: "URLSession delivers any status"
        case .survivesCutHeads: "on Linux a connection that ends within the head ends the process"
        }
    }
}
