import BundleServing
import NIOCore
import NIOEmbedded

@testable import ServerCore

extension EmbeddedChannel {
    /// A connection of HTTP/1 in memory, whose clock the test moves, with the limits that an endpoint has.
    ///
    /// - Parameter output: What takes the responses.
    convenience init(of responder: any RequestResponder, behind output: any ChannelOutboundHandler) throws {
        self.init()
        let settings = ChannelSettings.bare(responder)
        let permit = AddressLimiter.connections(ServerLimits(), metrics: nil).acquire(for: nil)
        guard let permit else { throw ChannelError.eof }
        let connection = HTTP1Connection(settings, settings.shares.share(of: eventLoop), permit, migration: nil)
        try pipeline.syncOperations.addHandlers(output, connection)
        try connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }
}
