import Foundation
import Logging
import ServerCore
import ServiceLifecycle

/// Listens for operators, separately from clients, while the server runs and drains.
struct AdminListener: Service {
    /// Scrapers and probes need one or two.
    static let maximumConnectionCount = 64
    /// Of one address.
    static let maximumConnectionCountPerAddress = 48
    /// It has no TLS.
    static let scheme = "http"

    let sockets: [ListeningSocket]
    let responder: AdminResponder
    let logger: Logger
    /// How long a connection may be idle, and a client may take for a request or a response.
    var timeout = Duration.seconds(30)

    /// - Throws: `IOError` when the process has no descriptors left.
    func run() async throws {
        defer { for socket in sockets { socket.close() } }
        let accepting = try await ChannelAccepting(
            from: sockets,
            for: ConnectionChannel(settings: settings),
            limiter: AddressLimiter.connections(limits, metrics: nil),
            // Nobody who only connects shuts out a probe.
            makesRoom: true,
            failures: AcceptFailureLog(logger: logger) { Date() }
        )
        for socket in sockets { logger.info("metrics and health are at \(socket.url())") }
        // Throws only when the task is cancelled, which is also a reason to end.
        try? await gracefulShutdown()
        accepting.stop()
        _ = await accepting.end()
    }

    private var settings: ChannelSettings {
        ChannelSettings(
            responder,
            recorder: RequestRecorder(
                metrics: nil,
                log: nil,
                logger: Logger(label: logger.label) { _ in SwiftLogNoOpLogHandler() }
            ),
            limits: limits,
            tls: nil,
            readyResponseCount: 0,
            logger: logger,
            now: { Date() }
        )
    }

    private var limits: ServerLimits {
        var limits = ServerLimits()
        limits.connections = Self.maximumConnectionCount
        limits.connectionsPerAddress = Self.maximumConnectionCountPerAddress
        (limits.idle, limits.headTime, limits.bodyTime, limits.writeStall) = (timeout, timeout, timeout, timeout)
        return limits
    }
}
