import BundleModel
import HTTPCore
import NIOCore
import NIOSSL
import Synchronization

/// The client's side of TLS. The trusted certificates are read with the first connection that needs them.
///
/// Thread-safe.
final class TLSClient: Sendable {
    private let configuration: TLSConfiguration
    private let trust: TrustedCertificates
    private let identity: ClientIdentity?
    let pins: CertificatePins
    /// With the client's own certificate, and without. A session begun with one isn't resumed with the other.
    private let contexts = Mutex<[Bool: NIOSSLContext]>([:])

    init(_ trust: TrustedCertificates = .system, identity: ClientIdentity? = nil, pins: CertificatePins = .none) {
        self.trust = trust
        self.identity = identity
        self.pins = pins
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
        try NIOSSLClientHandler(context: context(for: host), serverHostname: NetworkAddress(host) == nil ? host : nil)
    }

    private func context(for host: String) throws -> NIOSSLContext {
        let identity = identity.flatMap { $0.isShown(to: host) ? $0 : nil }
        return try contexts.withLock { contexts in
            if let context = contexts[identity != nil] { return context }
            var configuration = configuration
            try trust.apply(to: &configuration)
            identity?.apply(to: &configuration)
            let made = try NIOSSLContext(configuration: configuration)
            contexts[identity != nil] = made
            return made
        }
    }
}
