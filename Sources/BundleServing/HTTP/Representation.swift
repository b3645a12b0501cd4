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
