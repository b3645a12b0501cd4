import BundleModel
import Foundation
import HTTPCore
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
    /// Its key is none of the host's pins.
    case otherKey
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

extension CertificateFault: OriginFailureCause {
    package var originFailure: OriginFailure {
        switch self {
        case .expired: .expiredCertificate
        case .notYetValid: .notYetValidCertificate
        case .otherName: .certificateOfOtherName
        case .otherKey: .certificateOfOtherKey
        case .unknownIssuer: .certificateOfUnknownIssuer
        }
    }
}

extension BundleError {
    /// Why the server's certificate isn't trusted; nil for an error of another kind.
    package var certificateFault: CertificateFault? { cause as? CertificateFault }
}

/// Who has issued a certificate (RFC 5280 §4.1.2.4), read from its DER (X.690), which the library for TLS doesn't do.
/// The bytes come from a server that isn't trusted.
enum CertificateIssuer {
    private static let sequence: UInt8 = 0x30
    private static let version: UInt8 = 0xA0
    private static let objectIdentifier: UInt8 = 0x06
    /// UTF8String, PrintableString and IA5String.
    private static let texts: Set<UInt8> = [0x0C, 0x13, 0x16]
    /// The attributes that name the issuer, the best first: commonName, organizationName.
    private static let attributes: [[UInt8]] = [[0x55, 0x04, 0x03], [0x55, 0x04, 0x0A]]

    /// The issuer's common name, otherwise its organisation, fit to be shown; nil when it has neither.
    static func name(ofDER bytes: [UInt8]) -> String? {
        var document = Elements(bytes[...])
        guard var certificate = document.next(sequence), var unsigned = certificate.next(sequence) else { return nil }
        if unsigned.tag == version { _ = unsigned.next() }
        // The serial number, and the signature's algorithm.
        guard unsigned.next() != nil, unsigned.next() != nil, let issuer = unsigned.next(sequence) else { return nil }
        return attributes.lazy.compactMap { text(of: $0, in: issuer) }.first
    }

    private static func text(of attribute: [UInt8], in name: Elements) -> String? {
        var name = name
        while var set = name.next() {
            while var pair = set.next() {
                guard pair.tag == objectIdentifier, let type = pair.next(), type.bytes.elementsEqual(attribute) else {
                    continue
                }
                guard let tag = pair.tag, texts.contains(tag), let value = pair.next() else { continue }
                return Printable.text(String(decoding: value.bytes, as: UTF8.self))
            }
        }
        return nil
    }

    /// Elements one after the other, or the contents of one.
    private struct Elements {
        private(set) var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
        }

        /// The identifier octet of the next one.
        var tag: UInt8? { bytes.first }

        /// The contents of the next one; nil at the end, for another tag, and for one that isn't well-formed.
        mutating func next(_ tag: UInt8? = nil) -> Elements? {
            var rest = bytes
            guard let identifier = rest.popFirst(), tag ?? identifier == identifier, let first = rest.popFirst() else {
                return nil
            }
            var count = Int(first)
            if first >= 0x80 {
                // The long form (X.690 §8.1.3.5); no certificate needs more than three octets.
                let octets = rest.prefix(Int(first & 0x7F))
                guard (1...3).contains(octets.count), octets.count == Int(first & 0x7F) else { return nil }
                count = octets.reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(octets.count)
            }
            guard count <= rest.count else { return nil }
            bytes = rest.dropFirst(count)
            return Elements(rest.prefix(count))
        }
    }
}

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
