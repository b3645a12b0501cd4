import BundleModel
import NIOSSL

/// The certificate that a transport shows to servers that ask for one (RFC 8446 §4.3.2), and its private key.
///
/// A value type; safe to share between threads.
public struct ClientIdentity: Sendable {
    private let certificates: [NIOSSLCertificate]
    private let key: NIOSSLPrivateKey
    private let servers: Set<Server>

    /// A server that gets the certificate.
    private struct Server: Hashable {
        let host: CertificateHost
        /// Nil for all.
        let port: Int?
    }

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
        var servers: Set<Server> = []
        for host in hosts { servers.insert(Server(host: try CertificateHost.named(host), port: nil)) }
        try self.init(certificate: certificate, key: key, servers)
    }

    /// The same for a single origin.
    ///
    /// - Parameters:
    ///   - certificate: A PEM file, as above.
    ///   - key: A PEM file, as above.
    ///   - host: A name or an address, without the port.
    ///   - port: The origin's port.
    /// - Throws: As above.
    public init(certificate: String, key: String, host: String, port: Int) throws(BundleError) {
        try self.init(
            certificate: certificate,
            key: key,
            [Server(host: try CertificateHost.named(host), port: port)]
        )
    }

    private init(certificate: String, key: String, _ servers: Set<Server>) throws(BundleError) {
        certificates = try TrustedCertificates.read(certificate)
        self.key = try Self.readKey(key)
        self.servers = servers
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
    func isShown(to host: String, port: Int) -> Bool {
        if servers.isEmpty { return true }
        guard let host = CertificateHost(host) else { return false }
        return servers.contains(Server(host: host, port: nil)) || servers.contains(Server(host: host, port: port))
    }

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
