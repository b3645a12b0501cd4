import BundleModel
import BundleNetwork
import NIOCore
import NIOSSL
import Synchronization

/// The client's side of TLS. The system's certificates are read with the first connection that needs them.
///
/// Thread-safe.
final class TLSClient: Sendable {
    private let configuration: TLSConfiguration
    private let context = Mutex<NIOSSLContext?>(nil)

    init(_ configuration: TLSConfiguration) {
        var configuration = configuration
        configuration.minimumTLSVersion = .tlsv12
        configuration.shutdownTimeout = .seconds(1)
        configuration.applicationProtocols = ["http/1.1"]
        self.configuration = configuration
    }

    /// A handler for a connection to a host, which checks that the certificate is the host's.
    ///
    /// - Throws: NIOSSL's errors.
    func handler(for host: String) throws -> NIOSSLClientHandler {
        // An address isn't named in the handshake (RFC 6066 §3); the certificate has to be the connected address's.
        try NIOSSLClientHandler(context: prepared(), serverHostname: NetworkAddress(host) == nil ? host : nil)
    }

    private func prepared() throws -> NIOSSLContext {
        try context.withLock { context in
            if let context { return context }
            let made = try NIOSSLContext(configuration: configuration)
            context = made
            return made
        }
    }
}
