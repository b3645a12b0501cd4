import BundleStore
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Listens on an address and hands each connection to the channel set-up, until it is shut down.
struct EndpointListener: Service {
    let host: String
    let port: Int
    let scheme: String
    let channel: EndpointChannel
    let logger: Logger
    let onReady: @Sendable (_ url: String) -> Void

    /// - Throws: ``BundleStore/BundleError`` with code `invalidArgument` when the address can't be listened on.
    func run() async throws {
        let server = Server(
            childChannelSetup: channel,
            configuration: ServerConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in onReady(url(of: channel)) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        do {
            try await server.run()
        } catch {
            // Once the server listens, it throws neither the system's errors nor those of name look-up.
            guard error is IOError || error is SocketAddressError else { throw error }
            throw ListenRefusal(address: .tcp(host: host, port: port), option: "--listen").error(from: error)
        }
    }

    private func url(of channel: any Channel) -> String {
        let local = channel.localAddress
        let bound = ListenAddress.tcp(host: local?.ipAddress ?? host, port: local?.port ?? port)
        return "\(scheme)://\(bound)"
    }
}
