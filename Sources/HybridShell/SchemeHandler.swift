import BundleWebKit
import CWebKitGTK
import HTTPTypes
import OfflineBundles

/// `bundle://NAME/…`, from the same layers.
@MainActor
final class SchemeHandler {
    private let responder: ShellResponder

    init(_ responder: ShellResponder) {
        self.responder = responder
    }

    /// Registers the scheme; pages of it are secure contexts, and may use CORS.
    func register(in context: OpaquePointer) {
        let handle: WebKitURISchemeRequestCallback = { request, handler in
            guard let request, let handler else { return }
            nonisolated(unsafe) let received = request
            let this = Unmanaged<SchemeHandler>.fromOpaque(handler).takeUnretainedValue()
            MainActor.assumeIsolated { this.handle(received) }
        }
        let box = Unmanaged.passRetained(self).toOpaque()
        webkit_web_context_register_uri_scheme(context, BundleSchemeURL.scheme, handle, box) { handler in
            if let handler { Unmanaged<SchemeHandler>.fromOpaque(handler).release() }
        }
        let security = webkit_web_context_get_security_manager(context)
        webkit_security_manager_register_uri_scheme_as_secure(security, BundleSchemeURL.scheme)
        webkit_security_manager_register_uri_scheme_as_cors_enabled(security, BundleSchemeURL.scheme)
    }

    private func handle(_ pointer: OpaquePointer) {
        let request = GObjectReference(keeping: UnsafeMutableRawPointer(pointer))
        guard let uri = webkit_uri_scheme_request_get_uri(pointer), let url = BundleSchemeURL(String(cString: uri)),
            let mappings = responder.client.store.snapshot.bundles[url.name]?.serving?.manifest.origins,
            let origin = url.url(in: mappings), let shellRequest = Self.request(pointer, origin)
        else { return Self.fail(pointer) }
        let scheme = SchemeResponder(mappings) { [responder] in await responder.response(to: $0) }
        let sending = SchemeResponse(request)
        let beginning = responder.begin(shellRequest)
        if case .complete(let response) = beginning,
            let finished = scheme.finishAtOnce(response, to: shellRequest, of: url)
        {
            return sending.send(finished)
        }
        Task.detached {
            do {
                let response = try await scheme.finish(await beginning.response(), to: shellRequest, of: url)
                MainLoop.run { sending.send(response) }
            } catch { MainLoop.run { sending.fail("The address leads elsewhere.") } }
        }
    }

    private static func request(_ pointer: OpaquePointer, _ url: String) -> WebViewRequest? {
        let method = webkit_uri_scheme_request_get_http_method(pointer).map { String(cString: $0) } ?? "GET"
        let fields = SoupFields.read(webkit_uri_scheme_request_get_http_headers(pointer))
        return WebViewRequest(method: method, url: url, fields: fields, content: URLRequestContent(content(pointer)))
    }

    private static func content(_ pointer: OpaquePointer) -> [UInt8] {
        guard let stream = webkit_uri_scheme_request_get_http_body(pointer) else { return [] }
        defer { g_object_unref(stream) }
        // WebKit has the content in memory; reading it doesn't wait.
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while content.count < Int(SoupFront.maximumContentByteCount) {
            let count = g_input_stream_read(stream, &piece, gsize(piece.count), nil, nil)
            guard count > 0 else { break }
            content += piece[..<count]
        }
        return content
    }

    private static func fail(_ pointer: OpaquePointer) {
        let error = g_error_new_literal(g_quark_from_string("hybrid-shell"), 404, "No bundle has this address.")
        webkit_uri_scheme_request_finish_error(pointer, error)
        g_error_free(error)
    }
}

/// A response to a request for a custom scheme. WebKit reads the body from a stream: the reading end of a pipe, so that a body
/// that is long, or still arriving, isn't kept in memory.
@MainActor
final class SchemeResponse: Sendable {
    private static let unreadable = "The store can't be read."

    private let request: GObjectReference

    init(_ request: GObjectReference) {
        self.request = request
    }

    func send(_ response: ServedResponse) {
        guard let bodies = try? response.bodies(), let (reading, writing) = Self.pipe() else {
            return fail(Self.unreadable)
        }
        finish(response.head, response.bodyByteCount ?? -1, reading)
        g_object_unref(reading)
        let output = SchemeOutput(taking: writing)
        Task.detached {
            // A body that breaks off is shorter than its length says, or the web view has gone.
            try? await output.write(bodies)
            await output.close()
        }
    }

    private func finish(_ head: HTTPResponse, _ length: Int64, _ stream: UnsafeMutablePointer<GInputStream>) {
        guard let response = webkit_uri_scheme_response_new(stream, gint64(length)) else {
            return fail(Self.unreadable)
        }
        defer { g_object_unref(UnsafeMutableRawPointer(response)) }
        webkit_uri_scheme_response_set_status(response, guint(head.status.code), head.status.standardReasonPhrase)
        if let type = head.headerFields[.contentType] {
            webkit_uri_scheme_response_set_content_type(response, type)
        }
        if let headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE) {
            SoupFields.write(head.headerFields, to: headers)
            // Takes over the caller's reference.
            webkit_uri_scheme_response_set_http_headers(response, headers)
        }
        webkit_uri_scheme_request_finish_with_response(request.opaque, response)
    }

    /// Tells the web view that there is no response.
    func fail(_ reason: String) {
        let error = g_error_new_literal(g_quark_from_string("hybrid-shell"), 500, reason)
        webkit_uri_scheme_request_finish_error(request.opaque, error)
        g_error_free(error)
    }

    private static func pipe() -> (UnsafeMutablePointer<GInputStream>, GObjectReference)? {
        var ends: [gint] = [-1, -1]
        guard g_unix_open_pipe(&ends, FD_CLOEXEC, nil) != 0 else { return nil }
        guard let reading = g_unix_input_stream_new(ends[0], 1), let writing = g_unix_output_stream_new(ends[1], 1)
        else { return nil }
        return (reading, GObjectReference(taking: UnsafeMutableRawPointer(writing)))
    }
}

/// The writing end.
@MainActor
private final class SchemeOutput: Sendable {
    private let stream: GObjectReference

    private var output: UnsafeMutablePointer<GOutputStream> {
        stream.pointer.assumingMemoryBound(to: GOutputStream.self)
    }

    init(taking stream: GObjectReference) {
        self.stream = stream
    }

    nonisolated func write(_ bodies: [BodyStream]) async throws {
        for body in bodies {
            for try await chunk in body where !chunk.isEmpty {
                guard await write(chunk) else { return }
            }
        }
    }

    nonisolated func close() async {
        await MainLoop.call { _ = g_output_stream_close(self.output, nil, nil) }
    }

    private nonisolated func write(_ chunk: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            MainLoop.run {
                StreamWriter.write(chunk, to: self.output) { continuation.resume(returning: $0) }
            }
        }
    }
}
