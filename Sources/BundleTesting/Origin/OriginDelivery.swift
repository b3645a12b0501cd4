import BundleServing
import Foundation
import HTTPTypes

/// An answer as it goes onto the wire, faults included.
struct OriginDelivery {
    private(set) var head: HTTPResponse
    private(set) var body: [UInt8]
    private(set) var closesConnection = false

    init(of answer: OriginAnswer, to method: HTTPRequest.Method, faults: [OriginFault], date: Date) {
        head = HTTPResponse(status: answer.status, headerFields: answer.fields)
        body = OriginDelivery.hasBody(answer.status) ? answer.body : []
        if head.headerFields[.date] == nil { head.headerFields[.date] = HTTPDate(date)?.fieldValue }
        if head.headerFields[.contentLength] == nil, OriginDelivery.hasBody(answer.status) {
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
            // The server's encoder picks chunks when nothing tells the length (RFC 9112 section 6.3).
            head.headerFields[.contentLength] = nil
        case .hold, .status:
            // These take effect before there is an answer.
            break
        }
    }

    /// RFC 9110 section 6.4.1.
    private static func hasBody(_ status: HTTPResponse.Status) -> Bool {
        status.kind != .informational && status != .noContent && status != .notModified
    }
}
