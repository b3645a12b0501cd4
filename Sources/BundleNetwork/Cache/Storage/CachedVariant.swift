import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// A stored response with its body, or the parts of it that are stored.
struct CachedVariant: Sendable {
    /// A range of the representation.
    struct Part: Sendable {
        /// The position of the first byte in the representation.
        let offset: Int64
        let content: ByteSlice

        var range: Range<Int64> { offset..<offset + Int64(content.count) }
    }

    /// The head; that of a partial response has the status of the last 206, and its fields without Content-Range.
    let response: StoredResponse
    /// In the order of their offsets; they don't overlap. A whole response has one, from 0.
    let parts: [Part]
    /// Whether the response still stands.
    let validity: EntryValidity
    /// The cache key.
    let key: String
    let row: CachedRow
    let selection: CachedSelection
    /// The parts as they are stored, in the order in which they were; the later of two that overlap counts.
    let stored: CachedPartList
    let contents: [ByteSlice]
    /// Fields that came with the response and aren't stored, for the client whose request fetched or confirmed it, see
    /// ``CachePolicy/fieldsPassedOnOnly(of:)``.
    var fieldsPassedOnOnly: HTTPFields = [:]
    /// The selectors of all variants under the key.
    var entrySelectors: Set<String>

    init(
        _ response: StoredResponse,
        _ stored: CachedPartList,
        _ contents: [ByteSlice],
        _ selection: CachedSelection,
        _ key: String,
        _ row: CachedRow,
        _ validity: EntryValidity
    ) {
        self.response = response
        self.stored = stored
        self.contents = contents
        self.selection = selection
        self.key = key
        self.row = row
        self.validity = validity
        entrySelectors = [selection.selectors]
        parts = Self.disjoint(zip(stored.parts, contents).map { Part(offset: $0.offset, content: $1) })
    }

    /// With the fields of `response` that aren't stored.
    func passingOn(_ response: HTTPResponse, _ policy: CachePolicy) -> CachedVariant {
        var variant = self
        variant.fieldsPassedOnOnly = policy.fieldsPassedOnOnly(of: response.headerFields)
        return variant
    }

    /// As it is stored, for the clients that only waited for another one's response.
    var forOthers: CachedVariant {
        var variant = self
        variant.fieldsPassedOnOnly = [:]
        return variant
    }

    /// The length of the whole representation in bytes; nil when it isn't known.
    var completeLength: Int64? { stored.completeLength }

    /// Whether the parts are the whole representation.
    var isComplete: Bool { completeLength.map { slices(in: 0..<$0) != nil } ?? false }

    /// The whole body, when it is in one piece; use ``slices(in:)`` for one of several parts.
    var body: ByteSlice? {
        guard let part = parts.first, part.offset == 0, Int64(part.content.count) == completeLength else { return nil }
        return part.content
    }

    /// The bytes of a range of the representation, in order; nil when some aren't stored.
    func slices(in range: Range<Int64>) -> [ByteSlice]? {
        var slices: [ByteSlice] = []
        var position = range.lowerBound
        for part in parts where part.range.upperBound > position && position < range.upperBound {
            guard part.offset <= position else { return nil }
            let end = min(part.range.upperBound, range.upperBound)
            slices.append(part.content[Int(position - part.offset)..<Int(end - part.offset)])
            position = end
        }
        return position == range.upperBound ? slices : nil
    }

    /// The stored response as a representation, with its current age. Only for one with a ``body``.
    func representation(now: Date, _ status: CacheStatus) -> Representation {
        var fields = response.fields
        fields.append(contentsOf: fieldsPassedOnOnly)
        let age = response.ageField(now: now)
        fields[age.name] = age.value
        // The origin's own caches come first in the list (RFC 9211 §2).
        fields.append(HTTPField(name: .cacheStatus, value: status.fieldValue))
        return Representation(
            // Parts are of a representation with this status.
            status: response.status == 206 ? .ok : HTTPResponse.Status(code: response.status),
            mediaType: fields[.contentType],
            content: body ?? ByteSlice(copying: []),
            entityTag: fields[fields: .eTag].first.flatMap { EntityTag($0) },
            lastModified: fields[.lastModified].flatMap { HTTPDate($0)?.date },
            conditionDate: response.date,
            fields: fields
        )
    }
}

extension CachedVariant {
    /// Another state of the same entry, with a validity of its own.
    func changed(
        _ response: StoredResponse,
        _ stored: CachedPartList,
        _ contents: [ByteSlice],
        _ selection: CachedSelection
    ) -> CachedVariant {
        CachedVariant(response, stored, contents, selection, key, row, validity.renewed)
    }

    /// Cuts from each part what a later one has too.
    private static func disjoint(_ stored: [Part]) -> [Part] {
        guard stored.count > 1 else { return stored }
        var parts: [Part] = []
        for part in stored {
            parts = parts.flatMap { $0.without(part.range) } + [part]
        }
        return parts.sorted { $0.offset < $1.offset }
    }
}

extension CachedVariant.Part {
    /// What is left of it before and after a range.
    fileprivate func without(_ other: Range<Int64>) -> [Self] {
        let (before, after) = (min(range.upperBound, other.lowerBound), max(range.lowerBound, other.upperBound))
        return [(range.lowerBound, before), (after, range.upperBound)].filter { $0 < $1 }.map { part($0..<$1) }
    }

    private func part(_ kept: Range<Int64>) -> Self {
        Self(offset: kept.lowerBound, content: content[Int(kept.lowerBound - offset)..<Int(kept.upperBound - offset)])
    }
}

extension CachedVariant {
    /// The fields of a client's request that tell whether it selects this variant, besides those that every ready response
    /// is kept by. Those that never reach an origin don't select.
    var furtherSelectors: [HTTPField.Name] {
        var names: Set<String> = []
        for selector in entrySelectors.flatMap({ $0.split(separator: "\n").map(String.init) }) {
            // The origin that is sent for a page of this server depends on the page.
            if selector == HTTPField.Name.origin.canonicalName { names.insert(HTTPField.Name.referer.canonicalName) }
            if !Self.keyedNames.contains(selector) { names.insert(selector) }
        }
        return names.sorted().compactMap { HTTPField.Name($0) }
    }

    /// Of the cookies a ready response is kept only by this server's.
    private static let keyedNames = Set(DecidingField.allCases.map(\.name.canonicalName))
        .subtracting([HTTPField.Name.cookie.canonicalName])
}

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
        return ResponseSelection(
            isHead: request.method == .head,
            of: request.headerFields,
            validators: validators,
            length: length
        )
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
    private static let conditions = DecidingField.preconditions.map(\.name) + [.ifRange]
}
