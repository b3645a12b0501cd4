import BundleServing
import Foundation
import HTTPTypes

extension StoredResponse {
    /// The preconditions to add to the request that asks the origin whether this response is still valid (RFC 9111
    /// §4.3.1); empty when it has no validator, in which case the request fetches it again.
    package var preconditions: HTTPFields {
        var preconditions = HTTPFields()
        if let entityTag { preconditions.append(entityTag.field(.ifNoneMatch)) }
        if lastModified != nil { preconditions[.ifModifiedSince] = fields[values: .lastModified].first }
        return preconditions
    }

    /// Whether `response`, the response to a request with ``preconditions``, confirms this one: it is a 304 whose
    /// validators don't identify another response (RFC 9111 §4.3.4).
    ///
    /// A 304 without a validator is accepted, because the request was about this response alone.
    package func isConfirmed(by response: HTTPResponse) -> Bool {
        guard response.status == .notModified else { return false }
        if let tag = response.headerFields[fields: .eTag].first.map({ EntityTag($0) }) {
            return isSame(confirmed: tag)
        }
        guard let theirs = response.headerFields.date(.lastModified, receivedAt: responseTime), let lastModified
        else { return true }
        return lastModified == theirs
    }

    /// A strong tag confirms only the same strong tag, a weak tag confirms any with the same text, and a malformed tag
    /// confirms nothing.
    private func isSame(confirmed: EntityTag?) -> Bool {
        guard let entityTag, let confirmed else { return false }
        return confirmed.isWeak ? entityTag.weaklyMatches(confirmed) : entityTag.stronglyMatches(confirmed)
    }

    /// Nil when there is none or it is malformed: sent back, an ETag of `*` would always be confirmed.
    var entityTag: EntityTag? {
        fields[fields: .eTag].first.flatMap { EntityTag($0) }
    }

    private var lastModified: Date? {
        fields.date(.lastModified, receivedAt: responseTime)
    }
}
