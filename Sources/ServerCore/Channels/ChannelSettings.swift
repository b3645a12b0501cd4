import BundleServing
import Foundation
import Logging

/// What the channels of a server have in common.
package struct ChannelSettings: Sendable {
    let responder: any RequestResponder
    let recorder: RequestRecorder
    let limits: ServerLimits
    /// Nil for clear text.
    let tls: TLSIdentitySource?
    let shares: LoopShares
    let logger: Logger

    /// - Parameters:
    ///   - readyResponseCount: How many responses each event loop keeps ready at least.
    ///   - now: The clock that gives `Date`.
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
        shares = LoopShares(responder, capacity: readyResponseCount, now: now)
    }
}
