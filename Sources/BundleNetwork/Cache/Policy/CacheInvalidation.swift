import BundleStore
import Foundation
import HTTPTypes

/// Which stored responses another request makes invalid (RFC 9111 §4.4). Pure.
package enum CacheInvalidation {
    /// The URLs whose stored responses must not be used without validation any more: none after a safe method or an
    /// error; otherwise the request's own, and those of the same origin that `Location` and `Content-Location` name.
    ///
    /// - Parameters:
    ///   - method: The request's method. One whose safety isn't known counts as unsafe.
    ///   - url: The request's URL, as an absolute one.
    ///   - response: The head of the final response.
    /// - Returns: Absolute URLs without repetitions, the request's first; they may differ from stored ones in spelling,
    ///   see ``CacheKey``.
    package static func urls(
        after method: HTTPRequest.Method,
        to url: String,
        response: HTTPResponse
    ) -> [String] {
        guard !isSafe(method), [.successful, .redirection].contains(response.status.kind) else { return [] }
        let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
            response.headerFields[values: name].first.flatMap { target(of: $0, from: url) }
        }
        var urls = [url]
        for other in named where isSameOrigin(other, url) && !urls.contains(other) { urls.append(other) }
        return urls
    }

    /// The methods that the registry of RFC 9110 §16.1 calls safe.
    package static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        ["GET", "HEAD", "OPTIONS", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH", "TRACE"].contains(method.rawValue)
    }

    /// Nil for what isn't a reference.
    static func target(of reference: String, from base: String) -> String? {
        guard !reference.isEmpty, let base = URL(string: base) else { return nil }
        return URL(string: reference, relativeTo: base)?.absoluteString
    }

    private static func isSameOrigin(_ one: String, _ other: String) -> Bool {
        guard let one = try? HTTPURL(one), let other = try? HTTPURL(other) else { return false }
        return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)
    }
}
