import BundleServing
import Foundation
import HTTPTypes

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
