import NIOCore

/// Stops accepting for a while when it fails, for example without free descriptors: otherwise the loop would report the
/// waiting connection repeatedly. NIO's own `AcceptBackoffHandler` postpones the next read, but the failed one stays
/// pending.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    static let duration = TimeAmount.milliseconds(250)

    private let failures: AcceptFailureLog

    init(_ failures: AcceptFailureLog) {
        self.failures = failures
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError else { return context.fireErrorCaught(error) }
        failures.report(failure.errnoCode)
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.duration) {
            // It may have been closed in the meantime.
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
