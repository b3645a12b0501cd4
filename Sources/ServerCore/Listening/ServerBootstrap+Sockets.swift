import NIOCore
import NIOPosix

extension ServerBootstrap {
    /// Accepts from all of these sockets, or from none.
    ///
    /// - Parameter failures: Records failures to accept connections.
    /// - Returns: The accepting channels, which the caller closes.
    /// - Throws: `IOError` when the process has no descriptors left.
    func accept(from sockets: [ListeningSocket], failures: AcceptFailureLog) async throws -> [any Channel] {
        var channels: [any Channel] = []
        do {
            for socket in sockets {
                let channel = try await withBoundSocket(socket.duplicate()).get()
                channels.append(channel)
                try await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(failures), position: .first)
                }.get()
                // NIO calls listen(2) again with a backlog of 128, whatever its option says: the option applies only to
                // sockets that it binds itself.
                try StreamSocket(descriptor: socket.descriptor).startListening()
            }
        } catch {
            for channel in channels { try? await channel.close() }
            throw error
        }
        return channels
    }
}
