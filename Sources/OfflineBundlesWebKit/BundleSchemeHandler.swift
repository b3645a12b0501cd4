#if canImport(WebKit)
    import OfflineBundles
    import WebKit

    /// Opens a client's bundles in a `WKWebView`, by a scheme of the app's own: `app://shop/` is the bundle `shop`.
    ///
    ///     let handler = BundleSchemeHandler(client, scheme: "app")
    ///     configuration.setURLSchemeHandler(handler, forURLScheme: "app")
    ///
    /// Not built where this project is tested; what it does is ``SchemeLoads``, which is.
    @MainActor
    public final class BundleSchemeHandler: NSObject, WKURLSchemeHandler {
        private let loads: SchemeLoads

        /// - Parameters:
        ///   - client: What responds; keep it as long as the web view.
        ///   - scheme: In lower case; none that web views load themselves, such as https.
        public init(_ client: BundleClient, scheme: String) {
            loads = SchemeLoads(client, scheme: scheme)
        }

        /// Starts a task.
        public func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
            loads.start(Task.of(urlSchemeTask))
        }

        /// Stops a task.
        public func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
            loads.stop(Task.of(urlSchemeTask))
        }

        /// A task of the web view. There is one for each, so that it is found when it is stopped.
        private final class Task: SchemeTask {
            private nonisolated(unsafe) static let tasks = NSMapTable<AnyObject, Task>.weakToStrongObjects()
            private weak var task: (any WKURLSchemeTask)?

            let request: URLRequest

            static func of(_ task: any WKURLSchemeTask) -> Task {
                if let known = tasks.object(forKey: task) { return known }
                let new = Task(task)
                tasks.setObject(new, forKey: task)
                return new
            }

            private init(_ task: any WKURLSchemeTask) {
                self.task = task
                request = task.request
            }

            func didReceive(_ response: URLResponse) { task?.didReceive(response) }
            func didReceive(_ data: Data) { task?.didReceive(data) }
            func didFinish() { task?.didFinish() }
            func didFailWithError(_ error: any Error) { task?.didFailWithError(error) }
        }
    }
#endif
