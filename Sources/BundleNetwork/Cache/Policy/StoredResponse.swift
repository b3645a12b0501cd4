import BundleServing
import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// What the cache keeps of a response to a GET request, in addition to the bytes of its body (RFC 9111 §3).
///
/// Made by ``CachePolicy/storedResponse(to:url:response:bodyLength:requestTime:responseTime:)``. A value type; safe to
/// share between threads.
package struct StoredResponse: Hashable, Sendable {
    /// The most fields that a stored response may have.
    package static let maximumFieldCount = 1_000

    /// The target URI of the request.
    package let url: URL
    /// The request's values of the fields that the response's Vary names; a field not here was absent.
    package let selectingFields: HTTPFields
    /// The status code, 200 to 599.
    package let status: Int
    /// The response's fields without those of the connection; always with a valid Date.
    package let fields: HTTPFields
    /// Whether a cache of several users might have stored it. Otherwise only one of a single user may use it.
    package let isShareable: Bool
    /// When the request was sent, by the clock of this machine.
    package let requestTime: Date
    /// When the response's head was received, by the clock of this machine.
    package let responseTime: Date
    /// The length of the stored body in bytes.
    package let bodyLength: Int
    /// The user whose request it was for, as far as cookies and `Authorization` tell; nil when it was for all.
    package var user: Digest?
    /// Whether it is a copy that a rule keeps for the time without a network.
    package var isOfflineCopy = false

    /// Status and fields as a message, without an updated Age (see ``ageField(now:)``).
    package var head: HTTPResponse {
        HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    }

    /// The same for the whole when only parts are stored: what may be stored is decided by the same rules for both (RFC
    /// 9111 §3.3).
    package var wholeHead: HTTPResponse {
        status == 206 ? HTTPResponse(status: .ok, headerFields: fields) : head
    }
}

extension StoredResponse {
    /// The Age field for a response made from this one, replacing any that it has (RFC 9111 §4, §5.1).
    package func ageField(now: Date) -> HTTPField {
        HTTPField(name: .age, value: String(DeltaSeconds.whole(age(now: now))))
    }

    /// current_age in seconds (RFC 9111 §4.2.3); never negative, even when a clock was set back.
    func age(now: Date) -> TimeInterval {
        let apparentAge = max(0, responseTime.timeIntervalSince(date))
        let responseDelay = max(0, responseTime.timeIntervalSince(requestTime))
        let initialAge = max(apparentAge, ageValue + responseDelay)
        let residentTime = max(0, now.timeIntervalSince(responseTime))
        return initialAge + residentTime
    }

    /// Whether it is dated in the future, by this machine's clock when it was stored or by its origin's: one of them
    /// was wrong, and its age is unknown. Once the clock is right, it would otherwise stay fresh for as long as the
    /// clock had been ahead.
    func isAhead(of now: Date) -> Bool {
        max(responseTime, date).timeIntervalSince(now) > Self.clockTolerance
    }

    /// The tolerated difference between clocks in seconds, a usual value for protocols with time stamps (RFC 4120
    /// §1.6).
    private static let clockTolerance: TimeInterval = 300

    /// When the origin made the response; the time of arrival when the response doesn't say (RFC 9110 §6.6.1).
    var date: Date {
        fields.date(.date, receivedAt: responseTime) ?? responseTime
    }

    /// The first of several values counts, and one that isn't a number is ignored (RFC 9111 §5.1).
    private var ageValue: TimeInterval {
        TimeInterval(fields.listElements(of: .age).first.flatMap { DeltaSeconds.parse($0) } ?? 0)
    }
}

extension StoredResponse {
    /// Whether this response may be selected for `request`: the method is GET or HEAD, and the fields that Vary names
    /// have the values that they had (RFC 9111 §4, §4.1), or the request prefers the response's language to all others.
    ///
    /// - Parameter request: The request as it would go to the origin (see
    ///   ``OriginRequest/make(from:url:forwarding:pseudonym:)``), to the same URL. The client's own Accept-Encoding
    ///   doesn't reach the origin and so doesn't select.
    package func matches(_ request: HTTPRequest) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        // Most responses vary by nothing.
        guard fields.contains(.vary) else { return true }
        return !selections.isDisjoint(with: selections(of: request))
    }

    /// What the response is selected by: it may be kept under each of them, of which there are at most two. Empty when
    /// no later request is known to select it.
    package var selections: Set<VariantSelection> { selections(of: selectingFields, language: language) }

    /// What a request for the same URL selects by, given the Vary of this response, which it selects when the two have
    /// a selection in common.
    package func selections(of request: HTTPRequest) -> Set<VariantSelection> {
        let favourite = NegotiationField(.acceptLanguage, of: request.headerFields)?.favourite
        return selections(of: request.headerFields, language: favourite)
    }

    private func selections(of requestFields: HTTPFields, language: [UInt8]?) -> Set<VariantSelection> {
        let selector = VariantSelector(fields)
        guard let key = selector.key(of: requestFields) else { return [] }
        // A value that was damaged when it was decoded could be another one.
        guard !selector.selectingFields(of: requestFields).contains(where: \.isDamaged) else { return [] }
        return Set([key, selector.key(of: requestFields, inLanguage: language)].compactMap(\.self))
    }

    /// The one language that the content is for (RFC 9110 §8.5), in lower case.
    private var language: [UInt8]? {
        let languages = fields.listElements(of: .contentLanguage)
        return languages.count == 1 ? languages.first.map { Array($0.lowercased().utf8) } : nil
    }

    /// Orders by Date, then by the time of arrival.
    func isOlder(than other: StoredResponse) -> Bool {
        (date, responseTime) < (other.date, other.responseTime)
    }
}

extension HTTPField {
    /// Whether the value had bytes that have been lost, all of which are the same character now.
    fileprivate var isDamaged: Bool { withUnsafeBytesOfValue(\.containsReplacementCharacter) }
}

extension CachePolicy {
    /// Whether this cache might have stored the response: another one on the same store, with other rules, may keep
    /// what this one must not.
    package func mayUse(_ stored: StoredResponse) -> Bool {
        guard !isShared || stored.isShareable else { return false }
        let directives = directives(of: stored.fields)
        if obeysSharedRules, directives.privateScope == .response { return false }
        return directives.mustUnderstand || !directives.noStore
    }
}

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

extension Sequence<StoredResponse> {
    /// The precondition to add to a request that selects none of these responses to its URL: the origin may confirm that
    /// one of them is the right one (RFC 9111 §4.3.1, RFC 9110 §13.1.2). Empty when none has an entity tag.
    ///
    /// The latest come first; those that no longer fit into ``StoredResponse/maximumPreconditionByteCount`` are left out.
    package var preconditions: HTTPFields {
        var (value, tags): ([UInt8], [HTTPField]) = ([], [])
        for stored in sorted(by: { $1.isOlder(than: $0) }) {
            guard let tag = stored.entityTag?.field(.ifNoneMatch), !tags.contains(tag) else { continue }
            let bytes = tag.withUnsafeBytesOfValue { Array($0) }
            guard value.count + bytes.count + 2 <= StoredResponse.maximumPreconditionByteCount else { continue }
            value += (value.isEmpty ? [] : Array(", ".utf8)) + bytes
            tags.append(tag)
        }
        return HTTPFields(value.isEmpty ? [] : [HTTPField(name: .ifNoneMatch, value: value)])
    }

    /// The response that a 304 to a request with these ``preconditions`` confirms: the latest with the 304's entity tag;
    /// without one, the only response there is (RFC 9111 §4.3.4). Nil when it can't be told.
    package func confirmed(by response: HTTPResponse) -> StoredResponse? {
        guard response.status == .notModified else { return nil }
        let candidates = filter { $0.entityTag != nil }
        guard response.headerFields.contains(.eTag) else { return candidates.count == 1 ? candidates.first : nil }
        return candidates.filter { $0.isConfirmed(by: response) }.max { $0.isOlder(than: $1) }
    }
}

extension StoredResponse {
    /// The longest If-None-Match for several responses in bytes: servers refuse requests with fields that are too long.
    package static let maximumPreconditionByteCount = 2_048
}

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
