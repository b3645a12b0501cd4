// For Apple's systems alone. On Linux, scripts/check-apple compiles it against declarations of the project's own, and tests it with a
// simulated task.
#if canImport(WebKit)
    import Foundation
    import HTTPTypes
    import OfflineBundles
    import WebKit

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Shows bundles in a `WKWebView`, as `bundle://NAME/…`:
    ///
    ///     configuration.setURLSchemeHandler(BundleSchemeHandler(client), forURLScheme: "bundle")
    ///
    /// Any scheme of the app's own will do.
    ///
    /// WebKit gives a handler no http or https URLs (`handlesURLScheme` is true for them, and registering one raises an
    /// exception), and `URLProtocol` doesn't see the requests of its processes. So pages have the origin `bundle://NAME`, under
    /// which cookies aren't kept. The real origin isn't available; see “From WKWebView” of OfflineBundles.
    ///
    /// A `WKURLSchemeTask` can't be told of a redirect. A page that is redirected gets a page that navigates to the target, in
    /// the place of its own entry of the history. Other requests get the final response within the bundle under their own URL
    /// (`Response.redirected` is false, and `url` the first one); redirects to other origins fail.
    ///
    /// A request that no layer has a response to fails with the `URLError` that ``/OfflineBundles/BundleURLProtocol`` gives,
    /// `notConnectedToInternet` without a network: `fetch` rejects, and for a page the view's navigation delegate gets the error.
    @MainActor
    public final class BundleSchemeHandler: NSObject, WKURLSchemeHandler {
        private let loader: SchemeLoader
        private var tasks: [ObjectIdentifier: WebKitTask] = [:]

        /// Responds from the client's layers.
        public init(_ client: BundleClient) {
            loader = SchemeLoader(client)
        }

        /// WebKit's call to start a task.
        public func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
            let request = urlSchemeTask.request
            guard let url = request.url else { return urlSchemeTask.didFailWithError(URLError(.badURL)) }
            let id = ObjectIdentifier(urlSchemeTask)
            let task = WebKitTask(urlSchemeTask, url) { [weak self] in self?.tasks[id] = nil }
            tasks[id] = task
            loader.start(
                task,
                method: request.httpMethod ?? "GET",
                url: url.absoluteString,
                scheme: url.scheme ?? BundleSchemeURL.scheme,
                fields: (request.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) },
                content: URLRequestContent(request)
            )
        }

        /// WebKit's call after which a task may not be told anything.
        public func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
            guard let task = tasks.removeValue(forKey: ObjectIdentifier(urlSchemeTask)) else { return }
            loader.stop(task)
        }
    }

    /// WebKit's task, told in its own types.
    @MainActor
    private final class WebKitTask: SchemeTask {
        private let task: any WKURLSchemeTask
        private let url: URL
        private let onEnd: @MainActor () -> Void

        init(_ task: any WKURLSchemeTask, _ url: URL, onEnd: @escaping @MainActor () -> Void) {
            (self.task, self.url, self.onEnd) = (task, url, onEnd)
        }

        func didReceive(_ head: HTTPResponse) {
            let fields = Dictionary(head.headerFields.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" }
            let response = HTTPURLResponse(
                url: url,
                statusCode: head.status.code,
                httpVersion: "HTTP/1.1",
                headerFields: fields
            )
            // Foundation makes one of every status and field.
            let plain = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
            task.didReceive(response ?? plain)
        }

        func didReceive(_ data: [UInt8]) {
            task.didReceive(Data(data))
        }

        func didFinish() {
            onEnd()
            task.didFinish()
        }

        func didFail(_ failure: SchemeFailure) {
            onEnd()
            let error =
                switch failure {
                case .noBundle: URLError(.fileDoesNotExist)
                case .noContent: URLError(.requestBodyStreamExhausted)
                case .noRedirect: URLError(.redirectToNonExistentLocation)
                case .noResponse(let failure): LoadingFailure.error(failure, url)
                case .brokenOff(let error): LoadingFailure.error(error, url)
                }
            task.didFailWithError(error)
        }
    }
#endif
