import BundleModel


/// The parts of a request's target: an absolute URL, or a path with the host that it was sent to.
///
/// A value type; safe to share between threads.
package struct RequestTarget: Sendable, Hashable {
    /// `http` or `https` in lower case; nil when the request has none, as in origin-form (RFC 9112 §3.2.1).
    package let scheme: String?
    /// Host and port in lower case, without the scheme's default port; nil when the request names none.
    package let authority: String?
    /// The path as it was sent, percent-encoded, starting with a slash.
    package let path: String
    /// The query with its question mark, or empty.
    package let query: String

    /// Parses an absolute `http` or `https` URL (RFC 3986 §4.3); a fragment is ignored. Returns nil for anything else.
    package init?(url: String) {
        var url = url
        let target: RequestTarget? = url.withUTF8 { bytes in
            URLBytes(UnsafeRawBufferPointer(bytes)).map { url in
                RequestTarget(scheme: url.scheme, authority: url.authority, path: url.path, query: url.query)
            }
        }
        guard let target else { return nil }
        self = target
    }

    /// Takes a request target as HTTP sends it: origin-form with the `Host` field's value, or absolute-form, whose own
    /// host counts (RFC 9112 §3.2.2). Returns nil for anything else.
    package init?(_ target: String, host: String?) {
        guard target.utf8.first == UInt8(ascii: "/") else {
            self.init(url: target)
            return
        }
        var target = target
        self = target.withUTF8 { target in
            let (path, query) = URLBytes.split(UnsafeRawBufferPointer(target))
            guard var host else { return RequestTarget(scheme: nil, authority: nil, path: path, query: query) }
            return host.withUTF8 { host in
                RequestTarget(scheme: nil, authority: UnsafeRawBufferPointer(host), path: path, query: query)
            }
        }
    }

    private init(
        scheme: OriginURL.Scheme?,
        authority: UnsafeRawBufferPointer?,
        path: UnsafeRawBufferPointer,
        query: UnsafeRawBufferPointer
    ) {
        self.scheme = scheme?.rawValue
        self.authority = authority.map { authority in
            AuthorityBytes.withNormalised(authority, scheme: scheme) { String(decoding: $0, as: UTF8.self) }
        }
        self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        self.query = String(decoding: query, as: UTF8.self)
    }

    /// The host without its port; nil when the request names none.
    package var host: String? {
        guard var authority else { return nil }
        return authority.withUTF8 {
            String(decoding: AuthorityBytes.host(of: UnsafeRawBufferPointer($0)), as: UTF8.self)
        }
    }

    /// The port with its colon, or empty.
    package var port: String { String((authority ?? "").utf8.dropFirst(host?.utf8.count ?? 0)) ?? "" }

    /// Calls `body` with scheme, authority and path as bytes, the authority in canonical form.
    package func withBytes<Result>(
        _ body: (OriginURL.Scheme?, UnsafeRawBufferPointer?, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let scheme = scheme.flatMap(OriginURL.Scheme.init)
        var path = path
        return path.withUTF8 { path in
            guard var authority else { return body(scheme, nil, UnsafeRawBufferPointer(path)) }
            return authority.withUTF8 { authority in
                body(scheme, UnsafeRawBufferPointer(authority), UnsafeRawBufferPointer(path))
            }
        }
    }
}
