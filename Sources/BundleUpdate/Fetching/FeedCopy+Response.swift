import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

extension FeedCopy {
    /// The longest validator in bytes that is sent back.
    private static let maximumValidatorByteCount = 1_024
    /// How much older than the response a modification has to be in seconds: the feed may have been changed twice in the
    /// second that Last-Modified tells (RFC 9110 §8.8.2.2).
    private static let leastAge: TimeInterval = 60

    /// Nil when a response has nothing by which its server can be asked whether the feed has changed.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - now: When it was received.
    init?(_ content: [UInt8], _ fields: HTTPFields, from location: URL, receivedAt now: Date) {
        let entityTag = Self.validator(fields[values: .eTag].first)
        let lastModified = fields.date(.lastModified, receivedAt: now).flatMap { modified in
            let sent = fields.date(.date, receivedAt: now) ?? now
            return sent.timeIntervalSince(modified) >= Self.leastAge
                ? Self.validator(fields[values: .lastModified].first) : nil
        }
        guard entityTag != nil || lastModified != nil else { return nil }
        self.init(
            location: location.absoluteString,
            entityTag: entityTag,
            lastModified: lastModified,
            content: content
        )
    }

    /// The fields of a request for the feed if it has changed (RFC 9110 §13.1.2, §13.1.3).
    var conditions: HTTPFields {
        var fields = HTTPFields()
        fields[.ifNoneMatch] = entityTag
        fields[.ifModifiedSince] = lastModified
        return fields
    }

    private static func validator(_ value: String?) -> String? {
        value.flatMap { !$0.isEmpty && $0.utf8.count <= maximumValidatorByteCount ? $0 : nil }
    }
}
