import BundleStore
import Foundation
import Logging

/// Accepts connections for an endpoint: on Linux in loops of its own, which answer most of what comes in clear text
/// themselves; otherwise, and over TLS, as channels.
struct ConnectionAcceptor: Sendable {
    let files: BundledFiles
    let metrics: EndpointMetrics
    let observer: RequestObserver?
    let limits: EndpointLimits
    let logger: Logger
    let now: @Sendable () -> Date

    /// - Throws: ``BundleStore/BundleError`` with code `invalidArgument` when the system has no descriptors left.
    func accept(from sockets: [ListeningSocket], for channel: EndpointChannel) async throws -> any Accepting {
        let census = ConnectionCensus(limits: limits, metrics: metrics)
        let failures = AcceptFailureLog(logger: logger, now: now)
        #if os(Linux)
            if channel.tls == nil {
                return try LoopAccepting(
                    from: sockets,
                    for: channel,
                    files: files,
                    limits: limits,
                    census: census,
                    observer: observer,
                    logger: logger,
                    failures: failures,
                    now: now
                )
            }
        #endif
        return try await ChannelAccepting(from: sockets, for: channel, census: census, failures: failures)
    }
}
