import Foundation
import HTTPTypes

extension StoredResponse {
    /// Whether this response may be selected for `request`: the method is GET or HEAD, and the fields that Vary names
    /// have the values that they had (RFC 9111 §4, §4.1).
    ///
    /// - Parameter request: The request as it would go to the origin (see
    ///   ``OriginRequest/make(from:url:forwarding:pseudonym:)``), to the same URL. The client's own Accept-Encoding
    ///   doesn't reach the origin and so doesn't select.
    package func matches(_ request: HTTPRequest) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        return VariantSelector(fields).matches(selectingFields, request.headerFields)
    }

    /// Orders by Date, then by the time of arrival.
    func isOlder(than other: StoredResponse) -> Bool {
        (date, responseTime) < (other.date, other.responseTime)
    }
}

extension Sequence<StoredResponse> {
    /// The response to use for `request` among those stored for its URL: the most recent that matches (RFC 9111 §4.1);
    /// nil when none does.
    package func mostRecent(matching request: HTTPRequest) -> StoredResponse? {
        filter { $0.matches(request) }.max { $0.isOlder(than: $1) }
    }
}
