import CWebKitGTK

/// The certificate with which the ``ShellProxy`` is the mapped origins.
@MainActor
struct ProxyTrust {
    /// To be trusted for these hosts.
    let hosts: Set<String>
    /// Without the key: the web view's other processes get a copy of it.
    let certificate: GObjectReference
    /// With the key.
    let identity: GObjectReference

    /// Makes a certificate.
    ///
    /// - Throws: ``ShellFailure`` when GLib has no TLS.
    init(_ hosts: Set<String>) throws {
        self.hosts = hosts
        let identity = try RunIdentity(hosts: hosts)
        self.identity = try Self.certificate(identity.certificate + identity.key)
        certificate = try Self.certificate(identity.certificate)
    }

    private static func certificate(_ pem: String) throws -> GObjectReference {
        guard let certificate = g_tls_certificate_new_from_pem(pem, -1, nil) else {
            throw ShellFailure("GLib has no TLS; install glib-networking")
        }
        return GObjectReference(taking: UnsafeMutableRawPointer(certificate))
    }
}
