import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Responses from stored parts (RFC 9111 §3.3).
extension CachedVariant {
    /// What the response to a request is made of.
    enum Need: Equatable {
        /// The head alone.
        case head
        /// A range of the representation.
        case part(Range<Int64>)
        /// All of the representation, which has this length.
        case whole(Int64)
    }

    /// What the response to a GET or HEAD is made of; nil when that depends on a length that isn't known.
    func need(of request: HTTPRequest) -> Need? {
        guard request.method == .get else { return .head }
        guard let length = completeLength.flatMap({ Int(exactly: $0) }) else { return closedRange(of: request) }
        switch selection(for: request, length: length) {
        case .notModified, .preconditionFailed, .rangeNotSatisfiable: return .head
        case .parts(let parts) where parts.count == 1:
            return .part(Int64(parts[0].lowerBound)..<Int64(parts[0].upperBound))
        // A server may ignore Range (RFC 9110 §14.2).
        case .whole, .parts: return .whole(Int64(length))
        }
    }

    /// Whether what is stored suffices for a request.
    func suffices(for request: HTTPRequest) -> Bool {
        switch need(of: request) {
        case .head: true
        case .part(let range): slices(in: range) != nil
        case .whole(let length): slices(in: 0..<length) != nil
        case nil: false
        }
    }

    /// The response to a GET or HEAD when the body isn't in one piece. Only if the variant ``suffices(for:)``.
    func response(to request: HTTPRequest, now: Date, _ status: CacheStatus) -> Response {
        let representation = representation(now: now, status)
        var head = HTTPResponse(status: .ok, headerFields: representation.fields)
        head.headerFields[.xContentTypeOptions] = "nosniff"
        head.headerFields[.acceptRanges] = "bytes"
        switch need(of: request) {
        case .part(let range):
            return Response(head: head.partial(range, of: completeLength), body: ResponseBody(slices(in: range) ?? []))
        case .whole(let length):
            head.headerFields[.contentLength] = String(length)
            return Response(head: head, body: ResponseBody(slices(in: 0..<length) ?? []))
        case .head, nil: return bodiless(request, representation, head)
        }
    }

    private func bodiless(_ request: HTTPRequest, _ representation: Representation, _ head: HTTPResponse) -> Response {
        guard let length = completeLength.flatMap({ Int(exactly: $0) }) else { return Response(head: head) }
        switch selection(for: request, length: length) {
        // They depend on the head alone.
        case .notModified, .preconditionFailed: return Responder.respond(to: request, with: representation)
        case .rangeNotSatisfiable: return Responder.rangeNotSatisfiable(representation, length: length)
        case .whole, .parts:
            var head = head
            head.headerFields[.contentLength] = String(length)
            return Response(head: head)
        }
    }

    private func selection(for request: HTTPRequest, length: Int) -> ResponseSelection {
        let validators = representation(now: response.responseTime, CacheStatus(nil)).validators
        return RequestConditions.withConditions(of: request.headerFields) { conditions in
            ResponseSelection(isHead: request.method == .head, conditions, validators: validators, length: length)
        }
    }

    /// Without the length only a range with both ends is known, and no condition.
    private func closedRange(of request: HTTPRequest) -> Need? {
        guard let value = request.headerFields[.range], let ranges = ByteRangeSet(value)?.ranges, ranges.count == 1,
            case .from(let first, let last?) = ranges[0], last < Int.max, first <= last,
            !request.headerFields.contains(where: { Self.conditions.contains($0.name) })
        else { return nil }
        return .part(Int64(first)..<Int64(last) + 1)
    }

    /// If-Range is one of them: what holds depends on the whole.
    private static let conditions: [HTTPField.Name] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
    ]
}
