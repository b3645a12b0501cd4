import BundleServing
import BundleTesting
import Foundation

@testable import ServerCore

extension ChannelSettings {
    /// Those of a server in clear text that records nothing, with the limits that an endpoint has; but a client that has ended its
    /// side may take its time.
    static func bare(_ responder: any RequestResponder) -> ChannelSettings {
        let logger = RecordedLog().logger
        var limits = ServerLimits()
        limits.halfClosedWait = .seconds(3_600)
        return ChannelSettings(
            responder,
            recorder: RequestRecorder(metrics: nil, log: nil, logger: logger),
            limits: limits,
            tls: nil,
            readyResponseCount: 16,
            logger: logger,
            now: { .now }
        )
    }
}
