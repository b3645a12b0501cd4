import CWebKitGTK
import Crypto
import Foundation
import SelfSignedCertificates

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

/// The certificate with which this run is the mapped origins towards its own web view, and its key. The key exists in the
/// memory of this process alone, for one run; only this run's web view trusts the certificate, for these hosts.
struct RunIdentity {
    /// In PEM.
    let certificate: String
    /// In PEM.
    let key: String

    /// Makes one, valid from an hour ago, for clocks that are put right meanwhile.
    init(hosts: Set<String>, now: Date = Date()) throws {
        let key = P256.Signing.PrivateKey()
        self.key = key.pemRepresentation + "\n"
        certificate = try SelfSignedCertificate.pem(
            subject: "hybrid-shell",
            hosts: hosts.sorted(),
            validFrom: now - 3_600,
            days: 3_650,
            key: key
        )
    }
}
