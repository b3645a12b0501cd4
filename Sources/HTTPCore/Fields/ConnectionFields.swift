import HTTPTypes

extension HTTPFields {
    /// A copy without the fields of one connection or one proxy hop: the Connection field, the fields it lists, and the
    /// fields that always belong to one (RFC 9110 §7.6.1, RFC 9111 §3.1).
    package func removingConnectionFields() -> HTTPFields {
        let options = listElements(of: .connection).map { $0.lowercased() }
        return HTTPFields(
            filter { field in
                guard !HTTPFields.connectionFields.contains(field.name) else { return false }
                // Never a connection option (RFC 9110 §7.6.1); dropping it would lose a no-cache.
                return field.name == .cacheControl || !options.contains(field.name.canonicalName)
            }
        )
    }

    /// A copy without the fields whose names are in `names`.
    package func removing(_ names: Set<HTTPField.Name>) -> HTTPFields {
        HTTPFields(filter { !names.contains($0.name) })
    }

    static let connectionFields: Set<HTTPField.Name> = [
        .connection, .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .te, .trailer,
        .transferEncoding, .upgrade, HTTPField.Name("Keep-Alive")!, HTTPField.Name("Proxy-Connection")!,
    ]
}
