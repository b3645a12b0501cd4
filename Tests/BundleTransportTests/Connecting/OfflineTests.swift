import BundleModel
import Foundation
import NIOCore
import Testing

@testable import BundleTransport

struct OfflineTests {
    @Test(
        "a machine is offline when nothing can be connected to, not when something responds",
        arguments: [
            (ConnectionProblem.noAddress, true), (ConnectionProblem.notInTime, true), (ConnectionProblem.closed, false),
            (ConnectionProblem.silence(.seconds(1)), false), (ChannelError.connectTimeout(.seconds(1)), true),
            (IOError(errnoCode: ECONNREFUSED, reason: ""), true), (IOError(errnoCode: ENETUNREACH, reason: ""), true),
            (IOError(errnoCode: EHOSTUNREACH, reason: ""), true), (IOError(errnoCode: ECONNRESET, reason: ""), false),
            (IOError(errnoCode: EPIPE, reason: ""), false), (CancellationError(), false),
            (BundleError(.networkUnavailable, "a", cause: ConnectionProblem.noAddress), true),
        ] as [(any Error, Bool)]
    )
    func offline(_ cause: any Error, _ isOffline: Bool) {
        #expect(BundleError(.networkUnavailable, "a", cause: cause).isOffline == isOffline)
    }

    @Test("a response is no sign of being offline")
    func response() {
        #expect(!BundleError(.networkUnavailable, "it responded with 404").isOffline)
    }
}
