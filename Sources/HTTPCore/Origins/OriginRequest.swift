import BundleModel
import Foundation
import HTTPTypes

/// Makes the request that goes to the origin from the one that a client sent.
package enum OriginRequest {
    /// The client's request, addressed to `target`, without what concerns only the client's connection or the client's own
    /// copy.
    ///
    /// - The fields of the connection are dropped (RFC 9110 §7.6.1), and those of a body, because there is none.
    /// - Range and preconditions are dropped, because the cache evaluates them itself, and asks for parts with its own.
    /// - Accept-Encoding becomes `identity`, because the cache stores content without codings; the dictionaries of
    ///   RFC 9842 are dropped with it.
    /// - Proxy instructions are dropped, except those that the manifest names.
    /// - All of these are also recognised in spellings that servers treat as the same, such as `Transfer_Encoding`.
    ///
    /// - Parameters:
    ///   - request: The client's request; its method is kept.
    ///   - target: What the origin is asked for.
    ///   - forwarded: The names, in any case, of proxy instructions that are forwarded nevertheless.
    ///   - pseudonym: The name, a token, under which a gateway adds itself to Via (RFC 9110 §7.6.3); nil inside an app,
    ///     which is the client itself.
    package static func make(
        from request: HTTPRequest,
        target: OriginTarget,
        forwarding forwarded: [String] = [],
        pseudonym: String? = nil
    ) -> HTTPRequest {
        let exceptions = Set(forwarded.map { $0.lowercased() })
        var fields = HTTPFields(
            request.headerFields.removingConnectionFields().filter { mayPass($0.name, exceptions) }
        )
        fields[.acceptEncoding] = "identity"
        if let pseudonym { fields.append(HTTPField(name: .via, value: "1.1 \(pseudonym)")) }
        return HTTPRequest(
            method: request.method,
            scheme: target.scheme,
            authority: target.authority,
            path: target.path,
            headerFields: fields
        )
    }

    private static func mayPass(_ name: HTTPField.Name, _ exceptions: Set<String>) -> Bool {
        guard !clientFields.contains(name) else { return false }
        if ProxyInstructionFields.contains(name.canonicalName) { return exceptions.contains(name.canonicalName) }
        // Otherwise a field that is dropped or replaced would reach the origin in another spelling.
        let collapsed = HTTPSyntax.collapsedName(name.canonicalName)
        return collapsed == name.canonicalName || !ownNames.contains(collapsed)
    }

    private static let clientFields = Set(DecidingField.conditions.map(\.name)).union([
        .contentLength, .expect, .availableDictionary, .dictionaryID, HTTPField.Name("Host")!,
    ])

    private static let ownNames = Set(
        clientFields.union(HTTPFields.connectionFields).union([.acceptEncoding, .via]).map(\.canonicalName)
    )
}

/// What a request to an origin is for: its URL in the parts that the request names it by (RFC 9110 §7.1). Pure; a value
/// type, safe to share between threads.
package struct OriginTarget: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case, and the port unless it is the scheme's.
    package let authority: String
    /// The path, which isn't empty, and the query with its question mark.
    package let path: String

    /// - Parameter url: An absolute URL; its fragment isn't part of what is requested.
    /// - Returns: Nil for a URL that isn't http or https, that has user information (RFC 9110 §4.2.4), or that isn't a
    ///   URL as in RFC 3986.
    package init?(_ url: String) {
        guard let parsed = try? HTTPURL(url) else { return nil }
        scheme = parsed.scheme.rawValue
        authority = parsed.port.map { "\(parsed.host):\($0)" } ?? parsed.host
        let target = String(Substring(parsed.target))
        path = target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
    }

    /// The origin, which limits and the breaker count by.
    package var origin: String { "\(scheme)://\(authority)" }
}

/// A user and a password, for Basic authentication (RFC 7617). Its description has neither.
///
/// A value type; safe to share between threads.
package struct BasicCredential: Hashable, Sendable, CustomStringConvertible {
    /// The value of `Authorization` or `Proxy-Authorization`: a secret.
    package let fieldValue: String

    /// Nil when the user has a colon, or either has a control character (RFC 7617 §2).
    package init?(user: String, password: String) {
        let isText = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isText, !user.utf8.contains(UInt8(ascii: ":")) else { return nil }
        fieldValue = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    package var description: String { "a user and a password" }
}

extension URL {
    /// The URL as messages and logs may show it: without user information, query and fragment, which may carry a secret
    /// token.
    package var reported: String { URL.reported(absoluteString) }

    /// The same for a text that may not be a URL; made safe for terminals.
    package static func reported(_ text: String) -> String {
        let visible = text.prefix { $0 != "?" && $0 != "#" }
        guard let scheme = visible.range(of: "://") else { return Printable.text(String(visible)) }
        let authority = visible[scheme.upperBound...].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return Printable.text("\(visible[..<scheme.upperBound])\(host)\(visible[authority.endIndex...])")
    }

    /// The path of the file or folder on this machine that the URL names, without a slash at its end.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for a URL of another scheme or machine, with a query or a
    ///   fragment, or whose path isn't UTF-8 or has a NUL.
    package func filePath() throws(BundleError) -> String {
        guard isFileURL, query() == nil, fragment() == nil, [nil, "", "localhost"].contains(host()),
            let path = PercentEncoding.decode(absoluteURL.path(percentEncoded: true).utf8),
            path.utf8.first == UInt8(ascii: "/"),
            !path.utf8.contains(0)
        else {
            throw BundleError(
                .invalidArgument,
                "\(reported) names no file of this machine; give the URL of a file, or its path"
            )
        }
        return path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    }
}
