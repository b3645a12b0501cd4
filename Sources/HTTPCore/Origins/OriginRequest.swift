import BundleModel
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

    private static let clientFields: Set<HTTPField.Name> = [
        .contentLength, .expect, .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
        .availableDictionary, .dictionaryID, HTTPField.Name("Host")!,
    ]

    private static let ownNames = Set(
        clientFields.union(HTTPFields.connectionFields).union([.acceptEncoding, .via]).map(\.canonicalName)
    )
}
