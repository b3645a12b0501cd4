import BundleServing
import Foundation
import HTTPTypes

/// A response as it is sent, including faults.
struct OriginDelivery: Sendable {
    private(set) var head: HTTPResponse
    private(set) var body: [UInt8]
    private(set) var closesConnection = false

    init(of response: ScriptedResponse, to method: HTTPRequest.Method, faults: [OriginFault], date: Date) {
        head = HTTPResponse(status: response.status, headerFields: response.fields)
        body = OriginDelivery.hasBody(response.status) ? response.body : []
        if head.headerFields[.date] == nil { head.headerFields[.date] = HTTPDate(date)?.fieldValue }
        if head.headerFields[.contentLength] == nil, OriginDelivery.hasBody(response.status) {
            head.headerFields[.contentLength] = String(body.count)
        }
        if method == .head { body = [] }
        for fault in faults { apply(fault) }
    }

    private mutating func apply(_ fault: OriginFault) {
        switch fault {
        case .close(let count):
            body = Array(body.prefix(count))
            closesConnection = true
        case .announceLength(let length):
            head.headerFields[.contentLength] = String(length)
            closesConnection = true
        case .chunked:
            // The server's encoder uses chunks when no length is given (RFC 9112 section 6.3).
            head.headerFields[.contentLength] = nil
        case .hold, .status:
            // These take effect before there is a response.
            break
        }
    }

    /// RFC 9110 section 6.4.1.
    private static func hasBody(_ status: HTTPResponse.Status) -> Bool {
        status.kind != .informational && status != .noContent && status != .notModified
    }
}
