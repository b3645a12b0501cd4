import BundleServing
import Foundation

/// What the loops of an endpoint have in common.
struct LoopSettings: Sendable {
    let responder: any RequestResponder
    let limits: ServerLimits
    let census: ConnectionCensus
    let recorder: RequestRecorder
    /// Told when connections can't be accepted.
    let failures: AcceptFailureLog
    let now: @Sendable () -> Date
    /// How many responses a loop keeps ready at least.
    let readyResponseCount: Int
    /// Takes the connections on which more is asked than a loop answers, until they come back.
    let migrate: @Sendable (MigratingConnection) -> Void
    /// Called by each loop that is drained, once it lets go of the listening sockets.
    let onAcceptingEnd: @Sendable () -> Void

    /// How often a loop looks for connections whose time is over, in milliseconds: four times in the shortest of the times,
    /// but not more often than is worth it.
    var sweepInterval: Int32 {
        let shortest = min(limits.idle, limits.headTime, limits.writeStall, .seconds(4))
        return max(10, Int32(shortest.milliseconds / 4))
    }
}
