import BundleServing
import Foundation
import HTTPTypes

extension StoredResponse {
    /// The preconditions to add to the request that asks the origin whether this response still holds
    /// (RFC 9111 §4.3.1); empty when it has no validator, and the request then fetches it anew.
    public var preconditions: HTTPFields {
        var preconditions = HTTPFields()
        if let entityTag { preconditions[.ifNoneMatch] = entityTag.fieldValue }
        if lastModified != nil { preconditions[.ifModifiedSince] = fields[values: .lastModified].first }
        return preconditions
    }

    /// Whether `response`, the response to a request with ``preconditions``, says that this one still holds: it is a 304
    /// whose validators don't speak of another one (RFC 9111 §4.3.4).
    ///
    /// A 304 without a validator is taken at its word, as it answers a question about this response alone.
    public func isConfirmed(by response: HTTPResponse) -> Bool {
        guard response.status == .notModified else { return false }
        if let tag = response.headerFields[values: .eTag].first.map({ EntityTag($0) }) {
            return isSame(confirmed: tag)
        }
        guard let theirs = response.headerFields.date(.lastModified, receivedAt: responseTime), let lastModified
        else { return true }
        return lastModified == theirs
    }

    /// A strong tag confirms only the same strong tag, a weak one any with its text, a malformed one nothing.
    private func isSame(confirmed: EntityTag?) -> Bool {
        guard let entityTag, let confirmed else { return false }
        return confirmed.isWeak ? entityTag.weaklyMatches(confirmed) : entityTag.stronglyMatches(confirmed)
    }

    /// Nil when there is none or it is malformed: sent back, an ETag of `*` would be confirmed for ever.
    private var entityTag: EntityTag? {
        fields[values: .eTag].first.flatMap { EntityTag($0) }
    }

    private var lastModified: Date? {
        fields.date(.lastModified, receivedAt: responseTime)
    }
}
