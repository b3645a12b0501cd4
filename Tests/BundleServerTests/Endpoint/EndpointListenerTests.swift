import BundleStore
import NIOCore
import Testing

@testable import BundleServer

@Suite("EndpointListener")
struct EndpointListenerTests {
    @Test("only what keeps an address from being listened on is called that")
    func refusal() {
        let address = ListenAddress(host: "127.0.0.1", port: 80)
        let refused = EndpointListener.refusal(of: address, IOError(errnoCode: 13, reason: "bind"))
        #expect(refused?.code == .invalidArgument)
        #expect(
            refused?.message
                == "could not listen on 127.0.0.1:80: permission denied; choose a port above 1023 with --listen"
        )
        #expect(EndpointListener.refusal(of: address, CancellationError()) == nil)
        #expect(EndpointListener.refusal(of: address, BundleError(.storeUnavailable, "the disk is full")) == nil)
        #expect(EndpointListener.refusal(of: address, ChannelError.ioOnClosedChannel) == nil)
    }
}
