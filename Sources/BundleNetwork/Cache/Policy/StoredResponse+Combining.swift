import BundleServing
import Foundation
import HTTPTypes

extension StoredResponse {
    /// Whether a part of the content, in a 206 with this head, is of the same content as what is stored, so that they can
    /// be combined: both have the same strong validator (RFC 9111 §3.4, RFC 9110 §15.3.7.3).
    package func isCombinable(with part: HTTPResponse) -> Bool {
        guard part.status == .partialContent else { return false }
        if let ours = entityTag {
            return part.headerFields[fields: .eTag].first.flatMap { EntityTag($0) }.map(ours.stronglyMatches) ?? false
        }
        guard !fields.contains(.eTag), !part.headerFields.contains(.eTag),
            let ours = fields.date(.lastModified, receivedAt: responseTime),
            let theirs = part.headerFields.date(.lastModified, receivedAt: responseTime),
            let sent = part.headerFields.date(.date, receivedAt: responseTime)
        else { return false }
        return ours == theirs && Self.isStrong(ours, on: Swift.min(date, sent))
    }

    /// The If-Range with which a part of this content is asked for; nil without a strong validator (RFC 9110 §13.1.5).
    package var rangeCondition: HTTPField? {
        if let entityTag { return entityTag.isWeak ? nil : entityTag.field(.ifRange) }
        guard !fields.contains(.eTag), let value = fields[values: .lastModified].first,
            let lastModified = fields.date(.lastModified, receivedAt: responseTime),
            Self.isStrong(lastModified, on: date)
        else { return nil }
        return HTTPField(name: .ifRange, value: value)
    }

    /// A second must have passed within which the content could have changed again (RFC 9110 §8.8.2.2).
    private static func isStrong(_ lastModified: Date, on date: Date) -> Bool {
        date.timeIntervalSince(lastModified) >= 1
    }
}
