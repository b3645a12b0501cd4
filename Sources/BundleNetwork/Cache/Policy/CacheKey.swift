import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// What a response is stored and looked up under: the method and the URL, without what makes no difference (RFC 9111
/// §2). Pure; a value type, safe to share between threads.
///
/// GET and HEAD have one key, because a stored response to GET serves both. The fragment isn't part of a URL that is
/// requested. Spellings that RFC 3986 §6.2.2 says are equivalent are one URL: scheme and host in any case, hexadecimal
/// digits in any case, and unreserved characters encoded or not; with them the forms that RFC 9110 §4.2.3 adds, the
/// scheme's port and an empty path. Dot segments are left alone: what they mean is decided before a URL is requested.
package struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    /// The key as text: a URL, after the name of a method other than GET.
    package let text: String

    /// - Parameters:
    ///   - url: An absolute URL; what isn't an http or https URL is left as it is.
    ///   - method: The request's method.
    ///   - ignored: The query parameters that don't count, see `BundleManifest.ignoredParameters`.
    package init(_ url: String, method: HTTPRequest.Method = .get, ignoring ignored: [ParameterPattern] = []) {
        if let target = OriginTarget(url) {
            self.init(target, method: method, ignoring: ignored)
        } else {
            let absolute = Substring(url.utf8.prefix { $0 != UInt8(ascii: "#") })
            self.init(prefix: "", absolute, method, ignored)
        }
    }

    /// - Parameters:
    ///   - target: What the request is for.
    ///   - method: The request's method.
    ///   - ignored: The query parameters that don't count, see `BundleManifest.ignoredParameters`.
    package init(
        _ target: OriginTarget,
        method: HTTPRequest.Method = .get,
        ignoring ignored: [ParameterPattern] = []
    ) {
        self.init(prefix: target.origin, target.path[...], method, ignored)
    }

    private init(
        prefix: String,
        _ target: Substring,
        _ method: HTTPRequest.Method,
        _ ignored: [ParameterPattern]
    ) {
        let verb = method == .get || method == .head ? "" : "\(method.rawValue) "
        guard !ignored.isEmpty, let query = target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            text = verb + prefix + PercentEncoding.normalizing(target.utf8)
            return
        }
        let parameters = target.utf8[target.utf8.index(after: query)...]
        let path = PercentEncoding.normalizing(target.utf8[..<query])
        text = verb + prefix + path + Self.query(parameters, ignoring: ignored)
    }

    /// The same as ``text``.
    package var description: String { text }

    /// With its question mark; empty when no parameter is left.
    private static func query(_ query: Substring.UTF8View, ignoring ignored: [ParameterPattern]) -> String {
        let parameters = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let counted = parameters.filter { parameter in
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            return !ignored.contains { $0.matches(PercentEncoding.decodingComplete(name)) }
        }
        if counted.isEmpty { return "" }
        return "?" + counted.map { PercentEncoding.normalizing($0) }.joined(separator: "&")
    }
}

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
