import BundleWebKit
import CWebKitGTK
import HTTPCore
import HTTPTypes
import OfflineBundles

/// One request at a ``SoupFront``, and its response on the way. Lives until libsoup reports that the message has finished,
/// whether as a whole or because the web view has given up.
@MainActor
final class SoupExchange {
    /// Kept until it has finished.
    private let message: OpaquePointer
    private var work: Task<Void, Never>?
    private var continuation: CheckedContinuation<Bool, Never>?
    private var hasFinished = false

    init(_ message: OpaquePointer) {
        self.message = message
        let object = UnsafeMutableRawPointer(message)
        g_object_ref(object)
        // The message's handlers keep this object, and this object keeps the message until it has finished.
        Signal.connect(object, "wrote-chunk") { [self] in resume(true) }
        Signal.connect(object, "finished") { [self] in finish() }
    }

    func respond(to request: WebViewRequest, with responder: ShellResponder) {
        soup_server_message_pause(message)
        let beginning = responder.begin(request)
        work = Task.detached { await self.send(await beginning.response()) }
    }

    func refuse(_ status: HTTPResponse.Status) {
        soup_server_message_set_status(message, guint(status.code), nil)
    }

    private nonisolated func send(_ response: ServedResponse) async {
        if case .switching(let head, let tunnel, _) = response {
            return await MainLoop.call { self.switchProtocols(head, tunnel) }
        }
        let length = response.bodyByteCount
        let head = response.head
        await MainLoop.call { self.start(head, length) }
        do {
            for body in try response.bodies() {
                for try await chunk in body where !chunk.isEmpty {
                    guard await write(chunk) else { return }
                }
            }
            await MainLoop.call { self.complete() }
        } catch {
            // The web view must not take what has arrived for the whole.
            await MainLoop.call { self.abort() }
        }
    }

    /// Sends the origin's 101; from then on the connection carries the tunnel's bytes.
    private func switchProtocols(_ head: HTTPResponse, _ tunnel: Tunnel) {
        guard !hasFinished else { return }
        soup_server_message_set_status(message, guint(head.status.code), head.status.standardReasonPhrase)
        let headers: OpaquePointer = soup_server_message_get_response_headers(message)
        SoupFields.write(head.headerFields, to: headers)
        soup_message_headers_append(headers, "Connection", "Upgrade")
        soup_message_headers_append(headers, "Upgrade", head.headerFields[.upgrade] ?? "websocket")
        Signal.connect(UnsafeMutableRawPointer(message), "wrote-informational") { [self] in
            guard !hasFinished, let stream = soup_server_message_steal_connection(message) else { return }
            let relay = TunnelRelay(stream: IOStream(taking: stream), tunnel: tunnel)
            Task.detached { await relay.run() }
            // Not within libsoup's call, which still uses the message.
            MainLoop.run { self.finish() }
        }
        soup_server_message_unpause(message)
    }

    private func start(_ head: HTTPResponse, _ length: Int64?) {
        guard !hasFinished else { return }
        soup_server_message_set_status(message, guint(head.status.code), head.status.standardReasonPhrase)
        let headers: OpaquePointer = soup_server_message_get_response_headers(message)
        SoupFields.write(head.headerFields, to: headers)
        if head.headerFields[.contentLength] == nil {
            if let length {
                soup_message_headers_set_content_length(headers, goffset(length))
            } else {
                soup_message_headers_set_encoding(headers, SOUP_ENCODING_CHUNKED)
            }
        }
        soup_message_body_set_accumulate(soup_server_message_get_response_body(message), 0)
    }

    /// Hands a chunk to libsoup, and returns when it has been written; false when nobody waits for it any more.
    private nonisolated func write(_ chunk: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            MainLoop.run {
                guard !self.hasFinished else { return continuation.resume(returning: false) }
                self.continuation = continuation
                let bytes = g_bytes_new(chunk, gsize(chunk.count))
                soup_message_body_append_bytes(soup_server_message_get_response_body(self.message), bytes)
                g_bytes_unref(bytes)
                soup_server_message_unpause(self.message)
            }
        }
    }

    private func complete() {
        guard !hasFinished else { return }
        soup_message_body_complete(soup_server_message_get_response_body(message))
        soup_server_message_unpause(message)
    }

    private func abort() {
        guard !hasFinished, let stream = soup_server_message_steal_connection(message) else { return }
        g_io_stream_close(stream, nil, nil)
        g_object_unref(stream)
        finish()
    }

    private func finish() {
        guard !hasFinished else { return }
        hasFinished = true
        g_object_unref(UnsafeMutableRawPointer(message))
        work?.cancel()
        resume(false)
    }

    private func resume(_ isWanted: Bool) {
        continuation?.resume(returning: isWanted)
        continuation = nil
    }
}

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
