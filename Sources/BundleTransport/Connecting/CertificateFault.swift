import BundleModel
import Foundation
import NIOCore
import NIOSSL

/// Why a server's certificate isn't trusted, which the library for TLS doesn't tell. It is the cause of the error that a
/// transport throws then.
package enum CertificateFault: Error, Sendable, Equatable {
    /// It was valid until then.
    case expired(Date)
    /// It is valid from then on; more often it is this machine's clock that is wrong.
    case notYetValid(Date)
    /// It is for other hosts.
    case otherName
    /// Nobody who is trusted has issued it. With the issuer, if the certificate names one, fit to be shown.
    case unknownIssuer(String?)

    /// What is wrong with a certificate that was refused. Pure.
    package init(validity: ClosedRange<Date>, isForHost: Bool, issuer: String?, now: Date) {
        self =
            if now > validity.upperBound {
                .expired(validity.upperBound)
            } else if now < validity.lowerBound {
                .notYetValid(validity.lowerBound)
            } else {
                isForHost ? .unknownIssuer(issuer) : .otherName
            }
    }

    /// What is wrong with the certificate of a handshake that has failed.
    ///
    /// - Parameters:
    ///   - error: What the library for TLS throws.
    ///   - certificate: What the server has sent, if it has come that far.
    /// - Returns: Nil when it isn't the certificate.
    init?(_ error: any Error, _ certificate: NIOSSLCertificate?, of host: String, now: Date) {
        if error as? NIOSSLExtraError == .failedToValidateHostname {
            self = .otherName
        } else if String(describing: error).contains("CERTIFICATE_VERIFY_FAILED") {
            self = certificate.map { CertificateFault(of: $0, for: host, now: now) } ?? .unknownIssuer(nil)
        } else {
            return nil
        }
    }

    private init(of certificate: NIOSSLCertificate, for host: String, now: Date) {
        let start = Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore))
        let end = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
        self.init(
            validity: start...max(start, end),
            isForHost: Self.isHost(host, of: certificate),
            issuer: (try? certificate.toDERBytes()).flatMap(CertificateIssuer.name),
            now: now
        )
    }

    /// An address stands in the certificate as its octets (RFC 5280 §4.2.1.6).
    private static func isHost(_ host: String, of certificate: NIOSSLCertificate) -> Bool {
        guard let address = NetworkAddress(host) else { return CertificateName.isHost(host, of: certificate) }
        return certificate._subjectAlternativeNames().contains { name in
            name.nameType == .ipAddress && name.contents.withUnsafeBufferPointer { $0.elementsEqual(address.bytes) }
        }
    }
}

extension BundleError {
    /// Why the server's certificate isn't trusted; nil for an error of another kind.
    package var certificateFault: CertificateFault? { cause as? CertificateFault }
}
