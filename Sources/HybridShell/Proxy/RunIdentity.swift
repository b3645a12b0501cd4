import Crypto
import Foundation
import SelfSignedCertificates

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
