import Foundation
import HTTPTypes

/// Makes the request that goes to the origin from the one that a client sent.
public enum OriginRequest {
    /// The client's request, addressed to `url`, without what concerns only the client's connection or the client's own
    /// copy.
    ///
    /// - The fields of the connection are dropped (RFC 9110 §7.6.1), and those of a body, for there is none.
    /// - Range and preconditions are dropped, for the cache stores whole responses and evaluates them itself.
    /// - Accept-Encoding becomes `identity`, for the cache stores content without codings; the dictionaries of RFC 9842
    ///   go with it.
    ///
    /// - Parameters:
    ///   - request: The client's request; its method is kept.
    ///   - url: Where the origin has the resource; its user information and fragment aren't sent (RFC 9110 §4.2.4).
    ///   - pseudonym: The name, a token, under which a gateway adds itself to Via (RFC 9110 §7.6.3); nil inside an app,
    ///     which is the client itself.
    /// - Returns: Nil when `url` isn't an http or https URL with a host.
    public static func make(from request: HTTPRequest, url: URL, pseudonym: String? = nil) -> HTTPRequest? {
        guard let target = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let authority = authority(of: target)
        else { return nil }
        var fields = request.headerFields.removingConnectionFields().removing(clientFields)
        fields[.acceptEncoding] = "identity"
        if let pseudonym { fields.append(HTTPField(name: .via, value: "1.1 \(pseudonym)")) }
        return HTTPRequest(
            method: request.method,
            scheme: scheme,
            authority: authority,
            path: path(of: target),
            headerFields: fields
        )
    }

    /// Besides those, what claims to come from a proxy in front: it may steer the origin and is no part of the cache's key, so
    /// that one client could choose what others get.
    private static let clientFields: Set<HTTPField.Name> = [
        .contentLength, .expect, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
        .availableDictionary, .dictionaryID, HTTPField.Name("Host")!,
        HTTPField.Name("Forwarded")!, HTTPField.Name("X-Forwarded-For")!, HTTPField.Name("X-Forwarded-Host")!,
        HTTPField.Name("X-Forwarded-Port")!, HTTPField.Name("X-Forwarded-Prefix")!,
        HTTPField.Name("X-Forwarded-Proto")!,
        HTTPField.Name("X-Forwarded-Scheme")!, HTTPField.Name("X-Forwarded-Server")!, HTTPField.Name("X-Host")!,
        HTTPField.Name("X-HTTP-Method-Override")!, HTTPField.Name("X-Original-URL")!, HTTPField.Name("X-Real-IP")!,
        HTTPField.Name("X-Rewrite-URL")!,
    ]

    private static func authority(of target: URLComponents) -> String? {
        guard let host = target.encodedHost, !host.isEmpty else { return nil }
        return target.port.map { "\(host):\($0)" } ?? host
    }

    private static func path(of target: URLComponents) -> String {
        let path = target.percentEncodedPath.isEmpty ? "/" : target.percentEncodedPath
        return target.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
    }
}
