import BundleStore
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
    ///   - url: An absolute URL.
    ///   - method: The request's method.
    ///   - ignored: The query parameters that don't count, see `BundleManifest.ignoredParameters`.
    package init(_ url: String, method: HTTPRequest.Method = .get, ignoring ignored: [ParameterPattern] = []) {
        let absolute = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        let query = absolute.firstIndex(of: UInt8(ascii: "?"))
        let base = Self.base(Substring(absolute[..<(query ?? absolute.endIndex)]))
        let rest = query.map { Self.query(absolute[absolute.index(after: $0)...], ignoring: ignored) } ?? ""
        text = (method == .get || method == .head ? "" : "\(method.rawValue) ") + base + rest
    }

    /// The same as ``text``.
    package var description: String { text }

    /// Scheme, authority and path; what isn't an http or https URL is left as it is.
    private static func base(_ url: Substring) -> String {
        guard let parsed = try? HTTPURL(String(url)) else { return PercentEncoding.normalizing(url.utf8) }
        let port = parsed.port.map { ":\($0)" } ?? ""
        let path = parsed.path.isEmpty ? "/" : PercentEncoding.normalizing(parsed.path)
        return "\(parsed.scheme.rawValue)://\(parsed.host)\(port)\(path)"
    }

    /// With its question mark; empty when no parameter is left. Without ignored ones the query stays as it is, even when
    /// it is empty.
    private static func query(_ query: Substring.UTF8View, ignoring ignored: [ParameterPattern]) -> String {
        let parameters = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let counted = parameters.filter { parameter in
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            return !ignored.contains { $0.matches(PercentEncoding.decodingComplete(name)) }
        }
        if counted.isEmpty, !parameters.isEmpty, !ignored.isEmpty { return "" }
        return "?" + counted.map { PercentEncoding.normalizing($0) }.joined(separator: "&")
    }
}
