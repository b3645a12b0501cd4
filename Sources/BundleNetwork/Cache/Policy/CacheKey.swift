import BundleStore
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
