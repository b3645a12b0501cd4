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
    private let identities: [ClientIdentity]
    let pins: CertificatePins
    /// With each of the client's own certificates, and without. A session begun with one isn't resumed with another.
    private let contexts = Mutex<[Int?: NIOSSLContext]>([:])

    /// - Parameter identities: The client's certificates; a server that asks gets the first that is for it.
    init(_ trust: TrustedCertificates = .system, identities: [ClientIdentity] = [], pins: CertificatePins = .none) {
        self.trust = trust
        self.identities = identities
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
    func handler(for host: String, port: Int) throws -> NIOSSLClientHandler {
        // An address isn't named in the handshake (RFC 6066 §3); the certificate has to be the connected address's.
        let name = NetworkAddress(host) == nil ? host : nil
        return try NIOSSLClientHandler(context: context(for: host, port: port), serverHostname: name)
    }

    private func context(for host: String, port: Int) throws -> NIOSSLContext {
        let index = identities.firstIndex { $0.isShown(to: host, port: port) }
        return try contexts.withLock { contexts in
            if let context = contexts[index] { return context }
            var configuration = configuration
            try trust.apply(to: &configuration)
            if let index { identities[index].apply(to: &configuration) }
            let made = try NIOSSLContext(configuration: configuration)
            contexts[index] = made
            return made
        }
    }
}
