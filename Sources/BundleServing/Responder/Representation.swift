import BundleStore
import Foundation
import HTTPTypes

/// The current representation of a resource: content and its metadata (RFC 9110 §3.2).
///
/// A value type; safe to share between threads.
public struct Representation: Sendable {
    /// The status of the response. Preconditions and ranges apply only to 200.
    public let status: HTTPResponse.Status
    /// The value of `Content-Type`, or nil when there is none to send.
    public let mediaType: String?
    /// The content's bytes.
    public let content: ByteSlice
    /// The content's tag, when there is one.
    public let entityTag: EntityTag?
    /// When the content last changed, when that is known. Only whole seconds in years 0 to 9999 can be sent.
    public let lastModified: Date?
    /// What `If-Modified-Since` is compared with when it isn't known when the content last changed: for a cache the date
    /// of the stored response (RFC 9111 §4.3.2). It isn't sent.
    package let conditionDate: Date?
    /// Further fields of the response, such as `Cache-Control`. Those with a property of their own here, and those that
    /// frame the content, are replaced.
    public let fields: HTTPFields
    /// The content in other codings; empty where there is none, or none yet.
    package let variants: [ContentVariant]
    /// The request fields that select among its variants. Each response names them in `Vary`, even while there are no
    /// variants: otherwise a cache would reuse that response for all clients (RFC 9110 §12.5.5).
    package let selectingFields: [HTTPField.Name]

    /// Creates a representation.
    package init(
        status: HTTPResponse.Status = .ok,
        mediaType: String?,
        content: ByteSlice,
        entityTag: EntityTag? = nil,
        lastModified: Date? = nil,
        conditionDate: Date? = nil,
        fields: HTTPFields = [:],
        variants: [ContentVariant] = [],
        selectingFields: [HTTPField.Name] = []
    ) {
        self.status = status
        self.mediaType = mediaType
        self.content = content
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.conditionDate = conditionDate
        self.fields = fields
        self.variants = variants
        self.selectingFields = selectingFields
    }

    /// The entity tag and the date.
    public var validators: Validators {
        let date = lastModified.flatMap { HTTPDate($0) }
        var validators = Validators(entityTag: entityTag, lastModified: date, isDateStrong: date.map(isStrong) ?? false)
        validators.conditionDate = conditionDate.flatMap { HTTPDate($0) }
        return validators
    }

    /// Whether the origin's own `Date` shows that the content hasn't changed for a second (RFC 9110 §8.8.2.2). If there
    /// is an entity tag, the date isn't strong (§13.1.5): coded forms share it, and so may two versions that became
    /// active in one second.
    private func isStrong(_ lastModified: HTTPDate) -> Bool {
        guard entityTag == nil, let date = fields[.date].flatMap({ HTTPDate($0) }) else { return false }
        return date.secondsSince1970 > lastModified.secondsSince1970
    }
}

extension Representation {
    /// The fields that describe the representation, whole or in part; those that depend on the part sent are left out.
    var describingFields: HTTPFields {
        var result = fields
        for name in [HTTPField.Name.contentLength, .contentRange, .transferEncoding] { result[name] = nil }
        // A field with bytes that aren't UTF-8 stays as it is.
        if let mediaType, mediaType != result[.contentType] { result[.contentType] = mediaType }
        if let entityTag { result[fields: .eTag] = [entityTag.field(.eTag)] }
        if let date = validators.lastModified { result[.lastModified] = date.fieldValue }
        result[.xContentTypeOptions] = "nosniff"
        result.vary(by: selectingFields)
        return result
    }

    /// The fields of a 304: those that RFC 9110 §15.4.5 requires, `Age` (RFC 9111 §4) and `Cache-Status`, and those of
    /// CORS. `Last-Modified` is included only without an entity tag.
    var notModifiedFields: HTTPFields {
        let all = describingFields
        var names: [HTTPField.Name] = [
            .age, .cacheControl, .contentLocation, .date, .eTag, .expires, .vary, .cacheStatus, .xContentTypeOptions,
            .accessControlAllowOrigin, .accessControlAllowCredentials, .accessControlExposeHeaders,
        ]
        if !all.contains(.eTag) { names.append(.lastModified) }
        return all.keeping(names)
    }

    /// The fields about its origin that even a response without the representation has.
    var accountingFields: HTTPFields { fields.keeping([.cacheStatus]) }

    /// The fields of an error response that follow from the selected representation.
    var refusalFields: HTTPFields {
        var result = accountingFields
        result.vary(by: selectingFields)
        return result
    }
}

extension HTTPFields {
    /// Adds names to `Vary` that aren't in it yet; `*` stays as it is (RFC 9110 §12.5.5).
    package mutating func vary(by names: [HTTPField.Name]) {
        let listed = (self[.vary] ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
        guard !listed.contains("*") else { return }
        let missing = names.filter { !listed.contains($0.canonicalName) }
        guard !missing.isEmpty else { return }
        self[.vary] = ([self[.vary]].compactMap(\.self) + missing.map(\.rawName)).joined(separator: ", ")
    }

    fileprivate func keeping(_ names: [HTTPField.Name]) -> HTTPFields {
        var kept = HTTPFields()
        for field in self where names.contains(field.name) { kept.append(field) }
        return kept
    }
}

extension Representation {
    /// The representation selected for a request: this one, or one of its variants (RFC 9110 §12.1).
    ///
    /// 1. For a part of the content, this one: a client that combines parts, such as a player or a resumed download,
    ///    needs offsets that don't depend on an encoder.
    /// 2. The one that the client has already (`If-None-Match`), if it is acceptable: it isn't sent again in another
    ///    coding that has been made meanwhile.
    /// 3. The best that the client accepts, and this one when it accepts none (§12.5.3). A delta is only better than
    ///    the next coding when it is shorter.
    ///
    /// Conditions and ranges then apply to the selected representation (§13.2).
    public func selected(for request: HTTPRequest) -> Representation {
        let fields = request.headerFields
        let asksForPart = request.method == .get && fields.contains(.range)
        guard status == .ok, !variants.isEmpty, !asksForPart else { return self }
        let accepted = AcceptEncoding(fields[.acceptEncoding])
        return held(fields[.ifNoneMatch], accepted) ?? best(accepted)
    }

    private func best(_ accepted: AcceptEncoding) -> Representation {
        let acceptable = accepted.compactMap(coded)
        guard let best = acceptable.first else { return self }
        let isDelta = best.fields[.contentEncoding] == ContentCoding.dictionaryZstandard.token
        guard isDelta, acceptable.count > 1, acceptable[1].content.count <= best.content.count else { return best }
        return acceptable[1]
    }

    /// The acceptable one whose entity tag the client names; nil when it names none.
    private func held(_ condition: String?, _ accepted: AcceptEncoding) -> Representation? {
        guard var condition else { return nil }
        return condition.withUTF8 { bytes in
            let condition = EntityTagCondition(UnsafeRawBufferPointer(bytes))
            return accepted.lazy.compactMap(coded).first { $0.entityTag.map(condition.listsWeakly) ?? false }
        }
    }

    private func coded(_ coding: ContentCoding) -> Representation? {
        guard coding != .identity else { return self }
        guard let variant = variants.first(where: { $0.coding == coding }) else { return nil }
        var fields = fields
        fields[.contentEncoding] = coding.token
        return Representation(
            mediaType: mediaType,
            content: variant.content,
            entityTag: variant.entityTag,
            lastModified: lastModified,
            fields: fields,
            selectingFields: selectingFields
        )
    }
}
