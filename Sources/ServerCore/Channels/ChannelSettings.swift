import Foundation
import HTTPCore
import Logging

/// The settings that all channels of a server share.
package struct ChannelSettings: Sendable {
    let responder: any RequestResponder
    let recorder: RequestRecorder
    let limits: ServerLimits
    /// Nil for clear text.
    let tls: TLSIdentitySource?
    let shares: LoopShares
    /// Counts the requests whose responses are awaited or arrive.
    let waiting: AddressCensus
    let logger: Logger

    /// - Parameters:
    ///   - readyResponseCount: The minimum number of ready responses that each event loop keeps.
    ///   - now: The clock for the `Date` field.
    package init(
        _ responder: any RequestResponder,
        recorder: RequestRecorder,
        limits: ServerLimits,
        tls: TLSIdentitySource?,
        readyResponseCount: Int,
        logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.responder = responder
        self.recorder = recorder
        self.limits = limits
        self.tls = tls
        self.logger = logger
        waiting = AddressCensus(limit: limits.waitingRequests, perAddress: limits.waitingRequestsPerAddress)
        shares = LoopShares(responder, capacity: readyResponseCount, counting: recorder.ledger, now: now)
    }
}
