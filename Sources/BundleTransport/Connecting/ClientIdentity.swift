import BundleModel
import NIOSSL

/// The certificate that a transport shows to servers that ask for one (RFC 8446 §4.3.2), and its private key.
///
/// A value type; safe to share between threads.
public struct ClientIdentity: Sendable {
    private let certificates: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey
    private let hosts: Set<CertificateHost>

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - certificate: A PEM file with the client's certificate first, followed by the chain to one that the servers trust.
    ///   - key: A PEM file with the certificate's private key, without a passphrase. It may be the same file.
    ///   - hosts: The names and addresses of the servers that get the certificate, without ports; case is ignored. The certificate
    ///     tells a server who the device is, so name them. None for every server that asks.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when a file can't be read, and `invalidArgument` when it has
    ///   no certificate or no key, when the key is of another certificate, and for a host that isn't one.
    public init(certificate: String, key: String, hosts: Set<String> = []) throws(BundleError) {
        certificates = try TrustedCertificates.read(certificate)
        self.key = try Self.readKey(key)
        var names: Set<CertificateHost> = []
        for host in hosts { names.insert(try CertificateHost.named(host)) }
        self.hosts = names
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        apply(to: &configuration)
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw BundleError(
                .invalidArgument,
                "the key in \(Printable.line(key)) isn't that of the certificate in \(Printable.line(certificate)); "
                    + "name the two files of one certificate",
                cause: error
            )
        }
    }

    /// Whether a server gets the certificate when it asks.
    func isShown(to host: String) -> Bool { hosts.isEmpty || CertificateHost(host).map(hosts.contains) ?? false }

    func apply(to configuration: inout TLSConfiguration) {
        configuration.certificateChain = certificates.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
    }

    private static func readKey(_ path: String) throws(BundleError) -> NIOSSLPrivateKey {
        try TrustedCertificates.checkReadable(path, "the key")
        do {
            // Without the closure, a key with a passphrase has OpenSSL ask for it on the terminal.
            return try NIOSSLPrivateKey(file: path, format: .pem) { setter in setter([UInt8]()) }
        } catch {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(path)) has no private key in PEM, or one with a passphrase; "
                    + "“openssl pkey -in FILE -out FILE.pem” writes it without",
                cause: error
            )
        }
    }
}
