import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Responses from stored parts (RFC 9111 §3.3).
extension CachedVariant {
    /// Whether what is stored suffices for a request.
    func suffices(for request: HTTPRequest) -> Bool {
        isComplete || request.method == .head || part(for: request) != nil
    }

    /// The response to a GET or HEAD when the body isn't in one piece. Only if the variant ``suffices(for:)``.
    func response(to request: HTTPRequest, now: Date, _ status: CacheStatus) -> Response {
        let representation = representation(now: now, status)
        var head = HTTPResponse(status: .ok, headerFields: representation.fields)
        head.headerFields[.xContentTypeOptions] = "nosniff"
        guard isComplete, let length = completeLength else {
            guard let part = part(for: request) else { return Response(head: head) }
            return Response(head: head.partial(part.range, of: completeLength), body: ResponseBody(part.slices))
        }
        let selection = RequestConditions.withConditions(of: request.headerFields) { conditions in
            ResponseSelection(
                isHead: request.method == .head,
                conditions,
                validators: representation.validators,
                length: Int(clamping: length)
            )
        }
        switch selection {
        // They depend on the head alone.
        case .notModified, .preconditionFailed: return Responder.respond(to: request, with: representation)
        case .parts(let parts) where parts.count == 1:
            let range = Int64(parts[0].lowerBound)..<Int64(parts[0].upperBound)
            return Response(head: head.partial(range, of: length), body: ResponseBody(slices(in: range) ?? []))
        case .whole, .parts, .rangeNotSatisfiable:
            head.headerFields[.acceptRanges] = "bytes"
            head.headerFields[.contentLength] = String(length)
            let response = Response(head: head, body: ResponseBody(slices(in: 0..<length) ?? []))
            return request.method == .head ? response.withoutBody : response
        }
    }

    /// The stored bytes of the one range that a request asks for; nil when some aren't stored, or the request depends on
    /// more than the range.
    private func part(for request: HTTPRequest) -> (range: Range<Int64>, slices: [ByteSlice])? {
        guard request.method == .get, let value = request.headerFields[.range],
            let ranges = ByteRangeSet(value)?.ranges, ranges.count == 1, let range = range(ranges[0]),
            !request.headerFields.contains(where: { Self.conditions.contains($0.name) }),
            let slices = slices(in: range)
        else { return nil }
        return (range, slices)
    }

    private func range(_ requested: ByteRange) -> Range<Int64>? {
        if let length = completeLength.flatMap({ Int(exactly: $0) }) {
            return requested.resolved(in: length).map { Int64($0.lowerBound)..<Int64($0.upperBound) }
        }
        // Without the length only a range with both ends is known.
        guard case .from(let first, let last?) = requested, last < Int.max, first <= last else { return nil }
        return Int64(first)..<Int64(last) + 1
    }

    /// If-Range is one of them: what holds depends on the whole.
    private static let conditions: [HTTPField.Name] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
    ]
}
