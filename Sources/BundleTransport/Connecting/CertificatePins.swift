import BundleModel
import Foundation
import NIOSSL

/// The keys that the certificates of certain hosts must have, besides being trusted.
///
/// A pin is the SHA-256 of a public key (SubjectPublicKeyInfo, RFC 7469 §2.4). The key is that of the server's own certificate, not of
/// an authority. A value type; safe to share between threads.
public struct CertificatePins: Sendable {
    /// No host has pins.
    public static let none = CertificatePins()

    private let keys: [CertificateHost: Set<Digest>]

    private init() { keys = [:] }

    /// - Parameter pins: The pins of each host: `sha256/` and the digest in Base64, as curl(1) and OkHttp take them. A host is a name or an
    ///   address, without a port; case is ignored. A name doesn't stand for those below it. Give each host the pin of a key that is kept
    ///   for the next certificate, too: a host whose key changes otherwise can't be reached until the app is updated.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for a pin or a host that has another form, and for a host without
    ///   pins.
    public init(_ pins: [String: [String]]) throws(BundleError) {
        var keys: [CertificateHost: Set<Digest>] = [:]
        for (host, texts) in pins {
            let name = try CertificateHost.named(host)
            guard !texts.isEmpty else {
                throw BundleError(
                    .invalidArgument,
                    "\(Printable.text(host)) has no pin; add one, or leave the host out"
                )
            }
            for text in texts { keys[name, default: []].insert(try Self.digest(text)) }
        }
        self.keys = keys
    }

    /// Whether a certificate has one of the host's keys, or the host has no pins.
    func admit(_ certificate: NIOSSLCertificate?, of host: String) -> Bool {
        guard let expected = CertificateHost(host).flatMap({ keys[$0] }) else { return true }
        guard let key = try? certificate?.extractPublicKey().toSPKIBytes() else { return false }
        return expected.contains(Digest(of: key))
    }

    private static func digest(_ pin: String) throws(BundleError) -> Digest {
        let prefix = "sha256/"
        guard pin.hasPrefix(prefix), let bytes = Data(base64Encoded: String(pin.dropFirst(prefix.count))),
            let digest = bytes.withUnsafeBytes({ Digest(bytes: $0) })
        else {
            throw BundleError(
                .invalidArgument,
                "“\(Printable.text(pin))” is not a pin; write sha256/ and 32 bytes in Base64, which “openssl x509 -in FILE -pubkey -noout "
                    + "| openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64” prints"
            )
        }
        return digest
    }
}
