import Foundation
import HTTPCore

/// The settings that all loops of a server share.
struct LoopSettings: Sendable {
    let responder: any RequestResponder
    let limits: ServerLimits
    let limiter: AddressLimiter
    let recorder: RequestRecorder
    /// Logs failures to accept connections.
    let failures: AcceptFailureLog
    let now: @Sendable () -> Date
    /// The minimum number of ready responses that a loop keeps.
    let readyResponseCount: Int
    /// Migrates a connection with a request that a loop doesn't handle.
    let migrate: @Sendable (MigratingConnection) -> Void
    /// Called by each loop that is drained, once it no longer uses the listening sockets.
    let onAcceptingEnd: @Sendable () -> Void

    /// How often a loop checks for overdue connections, in milliseconds: a quarter of the shortest time limit, but 10
    /// to 1,000.
    var sweepInterval: Int32 {
        let shortest = min(limits.idle, limits.headTime, limits.writeStall, .seconds(4))
        return max(10, Int32(shortest.milliseconds / 4))
    }
}

extension Duration {
    /// Whole milliseconds, clamped to the range of the type.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
