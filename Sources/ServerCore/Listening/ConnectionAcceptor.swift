import BundleModel
import Foundation
import Logging

/// Accepts connections for a server: in clear text on Linux in loops of its own, which handle most requests themselves;
/// otherwise, and over TLS, as channels.
package struct ConnectionAcceptor: Sendable {
    let metrics: (any ServerMetrics)?
    let logger: Logger
    let now: @Sendable () -> Date

    package init(metrics: (any ServerMetrics)?, logger: Logger, now: @escaping @Sendable () -> Date) {
        self.metrics = metrics
        self.logger = logger
        self.now = now
    }

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the system has no descriptors left.
    package func accept(from sockets: [ListeningSocket], for channel: ConnectionChannel) async throws -> any Accepting {
        let census = AddressCensus.connections(channel.settings.limits, metrics: metrics)
        let failures = AcceptFailureLog(logger: logger, now: now)
        #if os(Linux)
            if channel.settings.tls == nil {
                return try LoopAccepting(from: sockets, for: channel, census: census, failures: failures, now: now)
            }
        #endif
        return try await ChannelAccepting(from: sockets, for: channel, census: census, failures: failures)
    }
}
