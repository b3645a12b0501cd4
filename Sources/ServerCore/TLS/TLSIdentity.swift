import BundleModel
import Foundation
import NIOSSL

/// A certificate with its key, as read from its files, ready for connections. Immutable; safe to share.
package struct TLSIdentity: Sendable {
    /// For TLS 1.2 and later, and HTTP/2 before HTTP/1.1 (RFC 7301).
    let context: NIOSSLContext
    /// The stamps of its files, taken before they were read.
    let stamps: [FileStamp?]

    /// For TLS 1.2: suites with forward secrecy that HTTP/2 doesn't forbid (RFC 9113 §9.2.2, Appendix A), which are
    /// those that RFC 9325 §4.2 recommends. All suites of TLS 1.3 meet this.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    private let validity: ClosedRange<Date>
    private let path: String

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` that names the file that can't be read or is
    ///   invalid.
    package init(_ files: TLSFiles) throws(BundleError) {
        // Before the files are read: a change in between is detected at the next check.
        stamps = Self.stamps(of: files)
        let chain = try Self.chain(files)
        let key = try Self.key(files)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.cipherSuites
        configuration.applicationProtocols = ["h2", "http/1.1"]
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw Self.error(
                "the key in \(Printable.text(files.key)) isn't the certificate's",
                files.certificate,
                error
            )
        }
        path = files.certificate
        validity = Self.validity(of: chain)
    }

    /// When the server's certificate in a file is valid.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` or `invalidArgument` when it can't be read.
    package static func validity(ofCertificate path: String) throws(BundleError) -> ClosedRange<Date> {
        validity(of: try chain(TLSFiles(certificate: path, key: path)))
    }

    /// The current state of the files; nil for one that doesn't exist.
    static func stamps(of files: TLSFiles) -> [FileStamp?] { [FileStamp(files.certificate), FileStamp(files.key)] }

    /// A description of what clients will reject; nil if nothing.
    func warning(at now: Date) -> String? {
        if now > validity.upperBound {
            return "the certificate in \(Printable.text(path)) has expired; clients refuse it until it is renewed"
        }
        if now < validity.lowerBound {
            return "the certificate in \(Printable.text(path)) isn't valid yet; look at the clock of this machine"
        }
        return nil
    }

    private static func chain(_ files: TLSFiles) throws(BundleError) -> [NIOSSLCertificate] {
        let file = try PEMFile(files.certificate, "certificate", .certificate)
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(file.bytes)
            if !chain.isEmpty { return chain }
        } catch {
            throw self.error("it has no certificate in PEM form", files.certificate, error)
        }
        throw error("it has no certificate in PEM form", files.certificate, nil)
    }

    private static func key(_ files: TLSFiles) throws(BundleError) -> NIOSSLPrivateKey {
        let file = try PEMFile(files.key, "key", .certificateKey)
        do {
            // BoringSSL would ask for a passphrase on the terminal.
            return try NIOSSLPrivateKey(bytes: file.bytes, format: .pem) { setter in setter([UInt8]()) }
        } catch {
            throw BundleError(
                .invalidArgument,
                "the key \(Printable.text(files.key)): it has no private key in PEM form, or one with a passphrase",
                .change(.certificateKey, "name a key without one"),
                cause: error
            )
        }
    }

    /// When the server's own certificate is valid; a chain begins with it (RFC 8446 §4.4.2).
    private static func validity(of chain: [NIOSSLCertificate]) -> ClosedRange<Date> {
        guard let own = chain.first else { return .distantPast ... .distantFuture }
        let start = Date(timeIntervalSince1970: TimeInterval(own.notValidBefore))
        return start...max(start, Date(timeIntervalSince1970: TimeInterval(own.notValidAfter)))
    }

    private static func error(_ text: String, _ path: String, _ cause: (any Error)?) -> BundleError {
        BundleError(
            .invalidArgument,
            "the certificate \(Printable.text(path)): \(text)",
            .change(.certificate, "name the PEM files of one certificate and its key"),
            cause: cause
        )
    }
}
