import BundleStore
import Foundation
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Listens on an address and hands each connection to the channel set-up, until it is shut down.
struct EndpointListener: Service {
    let address: ListenAddress
    let channel: EndpointChannel
    let logger: Logger
    let onReady: @Sendable (_ url: String) -> Void

    /// - Throws: ``BundleStore/BundleError`` with code `invalidArgument` when the address can't be listened on.
    func run() async throws {
        let server = Server(
            childChannelSetup: channel,
            configuration: ServerConfiguration(address: .hostname(address.host, port: address.port)),
            onServerRunning: { channel in onReady(url(of: channel)) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        do {
            try await server.run()
        } catch {
            throw Self.refusal(of: address, error) ?? error
        }
    }

    private func url(of channel: any Channel) -> String {
        let local = channel.localAddress
        let bound = ListenAddress(host: local?.ipAddress ?? address.host, port: local?.port ?? address.port)
        return "http://\(bound)"
    }

    /// What to tell the user when the address can't be listened on; nil for an error about something else. Once the server
    /// listens, it throws neither the system's errors nor those of name look-up.
    static func refusal(of address: ListenAddress, _ error: any Error) -> BundleError? {
        guard let (reason, advice) = explanation(of: error) else { return nil }
        return BundleError(.invalidArgument, "could not listen on \(address): \(reason); \(advice)", cause: error)
    }

    private static func explanation(of error: any Error) -> (reason: String, advice: String)? {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            ("address in use", "choose another port with --listen")
        case let error as IOError where error.errnoCode == EACCES:
            ("permission denied", "choose a port above 1023 with --listen")
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            ("this machine has no such address", "choose another host with --listen")
        case let error as IOError:
            (String(cString: strerror(error.errnoCode)), "choose another address with --listen")
        case is SocketAddressError:
            ("the host name has no address", "choose another host with --listen")
        default:
            nil
        }
    }
}
