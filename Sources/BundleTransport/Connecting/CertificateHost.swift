import BundleModel

/// A host for which something is said of certificates, in one form for all ways to write it. A value type.
struct CertificateHost: Hashable {
    private let text: String

    /// - Parameter host: A name, or an address, with or without brackets.
    /// - Returns: Nil for anything else, such as a name with a port, or one that isn't in ASCII.
    init?(_ host: String) {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        if let address = NetworkAddress(lookedUp: bare) {
            text = address.description
            return
        }
        let name = bare.lowercased().trimmingFinalDot
        guard !name.isEmpty,
            name.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "-._".utf8.contains($0) })
        else { return nil }
        text = name
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for a text that is no host.
    static func named(_ host: String) throws(BundleError) -> CertificateHost {
        guard let found = CertificateHost(host) else {
            throw BundleError(
                .invalidArgument,
                "“\(Printable.text(host))” is not a host; write a name in ASCII or an address, without scheme and port"
            )
        }
        return found
    }
}
