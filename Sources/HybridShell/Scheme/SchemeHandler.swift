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
        return WebViewRequest(method: method, url: url, fields: fields, content: content(pointer))
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
