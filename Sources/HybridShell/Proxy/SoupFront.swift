import BundleModel
import BundleWebKit
import CWebKitGTK
import HTTPTypes
import OfflineBundles

/// HTTP for connections to one scheme's origins, by libsoup, which WebKitGTK has loaded anyway. It doesn't listen: the proxy
/// hands it connections.
@MainActor
final class SoupFront {
    /// The longest request content, in bytes: libsoup keeps it in memory.
    nonisolated static let maximumContentByteCount: goffset = 64 << 20

    private let server: GObjectReference

    init(_ scheme: OriginURL.Scheme, _ responder: ShellResponder) {
        server = GObjectReference(taking: UnsafeMutableRawPointer(shell_soup_server_new()))
        let handler = Handler(scheme: scheme, responder: responder)
        soup_server_add_early_handler(
            server.pointer.assumingMemoryBound(to: SoupServer.self),
            nil,
            Handler.early,
            handler.retained(),
            Handler.release
        )
        soup_server_add_handler(
            server.pointer.assumingMemoryBound(to: SoupServer.self),
            nil,
            Handler.respond,
            handler.retained(),
            Handler.release
        )
    }

    /// Serves requests on a connection until it closes.
    ///
    /// - Parameter connection: Where it comes from, below what is encrypted.
    func accept(_ stream: UnsafeMutablePointer<GIOStream>, of connection: UnsafeMutablePointer<GSocketConnection>) {
        guard let local = g_socket_connection_get_local_address(connection, nil) else { return }
        defer { g_object_unref(local) }
        guard let remote = g_socket_connection_get_remote_address(connection, nil) else { return }
        defer { g_object_unref(remote) }
        let soup = server.pointer.assumingMemoryBound(to: SoupServer.self)
        soup_server_accept_iostream(soup, stream, local, remote, nil)
    }

    /// What libsoup calls.
    private final class Handler: Sendable {
        let scheme: OriginURL.Scheme
        let responder: ShellResponder

        init(scheme: OriginURL.Scheme, responder: ShellResponder) {
            (self.scheme, self.responder) = (scheme, responder)
        }

        func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

        nonisolated static let release: GDestroyNotify = { handler in
            if let handler { Unmanaged<Handler>.fromOpaque(handler).release() }
        }

        /// Before the content arrives: too much of it is refused.
        nonisolated static let early: SoupServerCallback = { _, message, _, _, _ in
            guard let message else { return }
            let headers = soup_server_message_get_request_headers(message)
            guard soup_message_headers_get_content_length(headers) > maximumContentByteCount else { return }
            soup_server_message_set_status(message, 413, nil)
        }

        nonisolated static let respond: SoupServerCallback = { _, message, _, _, handler in
            guard let handler, let message else { return }
            nonisolated(unsafe) let received = message
            let this = Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue()
            MainActor.assumeIsolated { this.respond(received) }
        }

        @MainActor
        private func respond(_ message: OpaquePointer) {
            let exchange = SoupExchange(message)
            guard let request = request(message) else { return exchange.refuse(.badRequest) }
            exchange.respond(to: request, with: responder)
        }

        @MainActor
        private func request(_ message: OpaquePointer) -> WebViewRequest? {
            let fields = SoupFields.read(soup_server_message_get_request_headers(message))
            guard let method = soup_server_message_get_method(message),
                let uri = soup_server_message_get_uri(message),
                let host = fields.first(where: { $0.name.lowercased() == "host" })?.value
            else { return nil }
            let path = g_uri_get_path(uri).map { String(cString: $0) } ?? "/"
            let query = g_uri_get_query(uri).map { "?" + String(cString: $0) } ?? ""
            return WebViewRequest(
                method: String(cString: method),
                url: "\(scheme.rawValue)://\(host)\(path)\(query)",
                fields: fields,
                content: URLRequestContent(Self.content(message)),
                mayUpgrade: true
            )
        }

        @MainActor
        private static func content(_ message: OpaquePointer) -> [UInt8] {
            guard let bytes = soup_message_body_flatten(soup_server_message_get_request_body(message)) else {
                return []
            }
            defer { g_bytes_unref(bytes) }
            var count: gsize = 0
            let start = g_bytes_get_data(bytes, &count)
            return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
        }
    }
}

/// Between libsoup's fields and ours.
@MainActor
enum SoupFields {
    static func read(_ headers: OpaquePointer?) -> [(name: String, value: String)] {
        guard let headers else { return [] }
        var iterator = SoupMessageHeadersIter()
        soup_message_headers_iter_init(&iterator, headers)
        var fields: [(name: String, value: String)] = []
        var (name, value): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
            if let name, let value { fields.append((String(cString: name), String(cString: value))) }
        }
        return fields
    }

    static func write(_ fields: HTTPFields, to headers: OpaquePointer) {
        for field in fields where !WebViewRequest.connectionFields.contains(field.name) {
            soup_message_headers_append(headers, field.name.canonicalName, field.value)
        }
    }
}
