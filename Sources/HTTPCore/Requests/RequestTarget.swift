import BundleModel
import HTTPTypes

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

    /// The target of a request: an absolute URL if it names a scheme and an authority. Returns nil without a path, for another
    /// scheme than `http` and `https`, and for an authority that is empty or has user information.
    package init?(_ request: HTTPRequest) {
        guard var path = request.path else { return nil }
        guard let scheme = request.scheme, var authority = request.authority else {
            self.init(path, host: request.authority)
            return
        }
        guard let scheme = OriginURL.Scheme(rawValue: scheme.lowercased()) else { return nil }
        let target = authority.withUTF8 { authority in
            path.withUTF8 { path -> RequestTarget? in
                let (authority, path) = (UnsafeRawBufferPointer(authority), UnsafeRawBufferPointer(path))
                guard URLBytes.isAuthority(authority), URLBytes.endsAuthority(path) else { return nil }
                let parts = URLBytes.split(path)
                return RequestTarget(scheme: scheme, authority: authority, path: parts.path, query: parts.query)
            }
        }
        guard let target else { return nil }
        self = target
    }

    private init(
        scheme: OriginURL.Scheme?,
        authority: UnsafeRawBufferPointer?,
        path: UnsafeRawBufferPointer,
        query: UnsafeRawBufferPointer
    ) {
        self.scheme = scheme?.rawValue
        self.authority = authority.map { authority in
            withUnsafeTemporaryAllocation(byteCount: authority.count, alignment: 1) { memory in
                String(decoding: AuthorityBytes.normalise(authority, scheme: scheme, into: memory), as: UTF8.self)
            }
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

/// The host and port of a request, as bytes.
package enum AuthorityBytes {
    /// Writes an authority in its canonical form: in lower case, without the scheme's default port.
    ///
    /// An empty port is the default one, and leading zeros are ignored (RFC 3986 §3.2.3). Not generic, so that other modules call it
    /// as fast as this one does.
    ///
    /// - Parameters:
    ///   - scheme: Nil when the request has none; then the default ports of both schemes are dropped.
    ///   - memory: Has at least the length of `authority`.
    /// - Returns: The part of `memory` that was written.
    package static func normalise(
        _ authority: UnsafeRawBufferPointer,
        scheme: OriginURL.Scheme?,
        into memory: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let (host, port) = split(authority)
        var count = 0
        for byte in host {
            memory[count] = byte.asciiLowercased
            count += 1
        }
        if let port, !isDefault(port, of: scheme) {
            memory[count] = UInt8(ascii: ":")
            memory[(count + 1)...].copyBytes(from: port)
            count += 1 + port.count
        }
        return UnsafeRawBufferPointer(rebasing: memory[..<count])
    }

    /// The host of an authority.
    package static func host(of authority: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { split(authority).host }

    /// The host, and the port without its leading zeros; nil when there is none or an empty one.
    private static func split(
        _ authority: UnsafeRawBufferPointer
    ) -> (host: UnsafeRawBufferPointer, port: UnsafeRawBufferPointer?) {
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            case let port = authority[(colon + 1)...],
            // A colon inside an IPv6 address isn't followed by a port.
            port.allSatisfy(ASCII.isDigit)
        else { return (authority, nil) }
        let host = UnsafeRawBufferPointer(rebasing: authority[..<colon])
        guard !port.isEmpty else { return (host, nil) }
        return (host, UnsafeRawBufferPointer(rebasing: port.drop { $0 == UInt8(ascii: "0") }))
    }

    private static func isDefault(_ port: UnsafeRawBufferPointer, of scheme: OriginURL.Scheme?) -> Bool {
        switch scheme {
        case .http: port.elementsEqual("80".utf8)
        case .https: port.elementsEqual("443".utf8)
        case nil: port.elementsEqual("80".utf8) || port.elementsEqual("443".utf8)
        }
    }
}

/// The parts of an absolute `http` or `https` URL (RFC 3986 §4.3), in place. The fragment is left out.
package struct URLBytes {
    package let scheme: OriginURL.Scheme
    /// As it was sent; not empty.
    package let authority: UnsafeRawBufferPointer
    /// Empty, or starting with a slash.
    package let path: UnsafeRawBufferPointer
    /// Empty, or starting with a question mark.
    package let query: UnsafeRawBufferPointer

    /// Returns nil for another scheme, and for an authority that is empty or has user information.
    package init?(_ url: UnsafeRawBufferPointer) {
        guard let (scheme, start) = Self.scheme(of: url) else { return nil }
        var end = start
        while end < url.count, !Self.endsAuthority(url[end]) {
            guard url[end] != UInt8(ascii: "@") else { return nil }
            end += 1
        }
        guard end > start else { return nil }
        self.scheme = scheme
        authority = UnsafeRawBufferPointer(rebasing: url[start..<end])
        (path, query) = Self.split(UnsafeRawBufferPointer(rebasing: url[end...]))
    }

    /// The path and the query of a target, without its fragment.
    package static func split(
        _ target: UnsafeRawBufferPointer
    ) -> (path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer) {
        var pathEnd = 0
        while pathEnd < target.count, !endsPath(target[pathEnd]) { pathEnd += 1 }
        var end = pathEnd
        while end < target.count, target[end] != UInt8(ascii: "#") { end += 1 }
        return (
            UnsafeRawBufferPointer(rebasing: target[..<pathEnd]),
            UnsafeRawBufferPointer(rebasing: target[pathEnd..<end])
        )
    }

    private static func scheme(of url: UnsafeRawBufferPointer) -> (OriginURL.Scheme, end: Int)? {
        if UnsafeRawBufferPointer(rebasing: url.prefix(8)).isName("https://") { return (.https, 8) }
        return UnsafeRawBufferPointer(rebasing: url.prefix(7)).isName("http://") ? (.http, 7) : nil
    }

    /// Whether an authority isn't empty, and has no user information.
    fileprivate static func isAuthority(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && !bytes.contains { endsAuthority($0) || $0 == UInt8(ascii: "@") }
    }

    /// Whether what follows an authority can't be a part of it.
    fileprivate static func endsAuthority(_ rest: UnsafeRawBufferPointer) -> Bool {
        rest.first.map { endsAuthority($0) } ?? true
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || endsPath(byte) }

    private static func endsPath(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
}
