import BundleServing
import BundleTesting
import Foundation

@testable import ServerCore

extension ChannelSettings {
    /// Those of a server in clear text that records nothing, with the limits that an endpoint has.
    static func bare(_ responder: any RequestResponder) -> ChannelSettings {
        let logger = RecordedLog().logger
        return ChannelSettings(
            responder,
            recorder: RequestRecorder(metrics: nil, log: nil, logger: logger),
            limits: ServerLimits(),
            tls: nil,
            readyResponseCount: 16,
            logger: logger,
            now: { .now }
        )
    }
}
