import CWebKitGTK
import OfflineBundles

/// One connection of the web view at the ``ShellProxy``, until it is known where it leads to.
@MainActor
final class SocksSession {
    private let object: GObjectReference
    private let decide: @MainActor (SocksDestination, SocksSession) -> Void
    private var handshake: SocksHandshake

    var connection: UnsafeMutablePointer<GSocketConnection> {
        object.pointer.assumingMemoryBound(to: GSocketConnection.self)
    }
    var stream: UnsafeMutablePointer<GIOStream> { object.pointer.assumingMemoryBound(to: GIOStream.self) }

    init(
        _ connection: UnsafeMutableRawPointer,
        _ credential: SocksCredential,
        _ decide: @escaping @MainActor (SocksDestination, SocksSession) -> Void
    ) {
        object = GObjectReference(keeping: connection)
        self.decide = decide
        handshake = SocksHandshake(credential)
    }

    /// Reads what the client sends next. The pending call keeps this object.
    func read() {
        let input = g_io_stream_get_input_stream(stream)
        AsyncCall.start { callback, data in
            g_input_stream_read_bytes_async(input, 513, G_PRIORITY_DEFAULT, nil, callback, data)
        } completion: { [self] result in
            guard let bytes = g_input_stream_read_bytes_finish(input, result, nil) else { return close() }
            defer { g_bytes_unref(bytes) }
            var count: gsize = 0
            let start = g_bytes_get_data(bytes, &count)
            guard count > 0 else { return close() }
            take(Array(UnsafeRawBufferPointer(start: start, count: Int(count))))
        }
    }

    private func take(_ bytes: [UInt8]) {
        switch handshake.receive(bytes) {
        case nil: read()
        case .send(let reply): write(reply) { $0.read() }
        case .refuse(let reply): write(reply) { $0.close() }
        case .connect(let destination): decide(destination, self)
        }
    }

    /// Sends a reply to the request, and goes on.
    func reply(_ reply: SocksHandshake.Reply, then next: @escaping @MainActor (SocksSession) -> Void) {
        write(reply.bytes, then: next)
    }

    func close() {
        g_io_stream_close_async(stream, G_PRIORITY_DEFAULT, nil, nil, nil)
    }

    private func write(_ bytes: [UInt8], then next: @escaping @MainActor (SocksSession) -> Void) {
        let output = g_io_stream_get_output_stream(stream)
        let data = g_bytes_new(bytes, gsize(bytes.count))
        defer { g_bytes_unref(data) }
        AsyncCall.start { callback, box in
            // Replies of a few bytes always fit into a socket's buffer.
            g_output_stream_write_bytes_async(output, data, G_PRIORITY_DEFAULT, nil, callback, box)
        } completion: { [self] result in
            let count = g_output_stream_write_bytes_finish(output, result, nil)
            if count == bytes.count { next(self) } else { close() }
        }
    }
}
