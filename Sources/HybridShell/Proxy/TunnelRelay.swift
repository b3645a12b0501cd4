import OfflineBundles

/// Carries a tunnel's bytes between the web view and the origin: in each direction one chunk at a time, as fast as its
/// receiver takes it.
///
/// The end of one side ends both: nothing follows the closing frames of a WebSocket, which come before (RFC 6455 §7.1.1).
struct TunnelRelay: Sendable {
    /// The web view's side.
    let stream: IOStream
    /// The origin's side.
    let tunnel: Tunnel

    /// Returns when the connection to the web view is closed.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await sendToOrigin() }
            group.addTask { await sendToView() }
            await group.next()
            group.cancelAll()
            await stream.stop()
        }
        await stream.close()
    }

    private func sendToOrigin() async {
        while case let bytes = await stream.read(), !bytes.isEmpty {
            guard (try? await tunnel.send(bytes)) != nil else { return }
        }
        await tunnel.end()
    }

    private func sendToView() async {
        // A connection that breaks ends like any other: the frames in it tell the page what it has missed.
        do {
            for try await chunk in tunnel.incoming where !chunk.isEmpty {
                guard await stream.write(chunk) else { return }
            }
        } catch {}
    }
}
