import NIOSSL

/// Whether a certificate is for a host name (RFC 9525 §6).
///
/// NIOSSL also accepts one that is for the address that was connected to (swift-nio-ssl 2.37, IdentityVerification). But
/// an attacker who can redirect a name to an address of theirs can have a certificate for that.
enum CertificateName {
    static func isHost(_ host: String, of certificate: NIOSSLCertificate) -> Bool {
        certificate._subjectAlternativeNames().contains { name in
            name.nameType == .dnsName
                && name.contents.withUnsafeBufferPointer { matches(String(decoding: $0, as: UTF8.self), host) }
        }
    }

    /// A wildcard stands for exactly the first label (RFC 9525 §6.3).
    static func matches(_ name: String, _ host: String) -> Bool {
        let (name, host) = (name.lowercased(), host.lowercased().trimmingFinalDot)
        guard name.hasPrefix("*.") else { return name == host }
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        return host[dot...] == name.dropFirst()
    }
}

extension String {
    /// Without the dot that ends a fully qualified name.
    var trimmingFinalDot: String { hasSuffix(".") ? String(dropLast()) : self }
}
