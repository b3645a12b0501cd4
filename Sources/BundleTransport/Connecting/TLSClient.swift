import BundleModel
import NIOCore
import NIOSSL
import Synchronization

/// The client's side of TLS. The trusted certificates are read with the first connection that needs them.
///
/// Thread-safe.
final class TLSClient: Sendable {
    private let configuration: TLSConfiguration
    private let trust: TrustedCertificates
    private let context = Mutex<NIOSSLContext?>(nil)

    init(_ trust: TrustedCertificates) {
        self.trust = trust
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.shutdownTimeout = .seconds(1)
        configuration.applicationProtocols = ["http/1.1"]
        self.configuration = configuration
    }

    /// A handler for a connection to a host, which checks that the certificate is the host's.
    ///
    /// - Throws: ``/BundleModel/BundleError`` when the trusted certificates can't be read; NIOSSL's errors.
    func handler(for host: String) throws -> NIOSSLClientHandler {
        // An address isn't named in the handshake (RFC 6066 §3); the certificate has to be the connected address's.
        try NIOSSLClientHandler(context: prepared(), serverHostname: NetworkAddress(host) == nil ? host : nil)
    }

    private func prepared() throws -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            var configuration = configuration
            try trust.apply(to: &configuration)
            let made = try NIOSSLContext(configuration: configuration)
            context = made
            return made
        }
    }
}
