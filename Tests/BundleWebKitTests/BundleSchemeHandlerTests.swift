// On Linux in the graph of Apple's systems alone; see scripts/check-apple.
#if os(Linux) && canImport(WebKit)
    import BundleTesting
    import BundleWebKit
    import Foundation
    import HTTPTypes
    import OfflineBundles
    import Testing
    import WebKit

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    @Suite("The handler of a WKWebView", .timeLimit(.minutes(5)))
    @MainActor
    struct BundleSchemeHandlerTests {
        @Test("responds to tasks of any scheme of the app's own", arguments: ["bundle", "shop-app"])
        func responds(_ scheme: String) async throws {
            try await withTemporaryDirectory { folder in
                let client = try SchemeLoaderTests.client(folder)
                let configuration = WKWebViewConfiguration()
                configuration.setURLSchemeHandler(BundleSchemeHandler(client), forURLScheme: scheme)
                let view = WKWebView(frame: .zero, configuration: configuration)
                let task = SimulatedSchemeTask(try Self.request("\(scheme)://shop/app.js"))
                configuration.urlSchemeHandler(forURLScheme: scheme)?.webView(view, start: task)
                try await eventually { task.hasEnded }
                #expect(task.calls == [.response(200), .data, .finish])
                #expect(task.breaches.isEmpty)
                #expect(String(decoding: task.content, as: UTF8.self) == "script")
                let response = try #require(task.response)
                #expect(response.url?.absoluteString == "\(scheme)://shop/app.js")
                #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/octet-stream")
            }
        }

        @Test("sends the content of fetch, which arrives as a stream, and loses none", arguments: [false, true])
        func content(isStream: Bool) async throws {
            try await withTemporaryDirectory { folder in
                let network = ScriptedTransport()
                let received = Monitor<[UInt8]>([])
                network.response(calling: "https://m.example.com/shop/upload") { call in
                    var bytes: [UInt8] = []
                    if let content = call.content { for try await chunk in content { bytes += chunk } }
                    received.update { [bytes] in $0 = bytes }
                    return OriginResponse(head: HTTPResponse(status: .ok), body: BodyStream(Array("taken".utf8)))
                }
                let client = try SchemeLoaderTests.client(folder, network)
                let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
                var request = try Self.request("bundle://shop/upload")
                request.httpMethod = "POST"
                if isStream {
                    request.httpBodyStream = InputStream(data: content)
                } else {
                    request.httpBody = content
                }
                let task = try await Self.run(request, client)
                #expect(task.calls == [.response(200), .data, .finish])
                #expect(received.state == [UInt8](content))
            }
        }

        @Test(
            "a request whose content the web view doesn't give fails, and none is sent",
            arguments: [
                ("Content-Length", "12"), ("Content-Type", "multipart/form-data; boundary=a"),
                ("Content-Type", "image/png"), ("Content-Type", "application/json"), ("Content-Type", "text/plain"),
                ("Content-Type", "text/plain;charset=utf-8"), ("Content-Type", "application/x-www-form-urlencoded"),
            ]
        )
        func lostContent(_ name: String, _ value: String) async throws {
            try await withTemporaryDirectory { folder in
                let network = ScriptedTransport()
                let client = try SchemeLoaderTests.client(folder, network)
                var request = try Self.request("bundle://shop/upload")
                request.httpMethod = "POST"
                request.setValue(value, forHTTPHeaderField: name)
                let task = try await Self.run(request, client)
                #expect(task.calls == [.failure(.requestBodyStreamExhausted)])
                #expect(network.requests.isEmpty)
            }
        }

        @Test(
            "a request without content is sent",
            arguments: [
                ("POST", [:]), ("GET", ["Content-Type": "image/png"]),
                ("POST", ["Content-Type": "image/png", "Content-Length": "0"]),
                ("POST", ["Content-Type": "text/plain;charset=UTF-8"]),
                ("PUT", ["Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"]),
                ("POST", ["Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html,*/*;q=0.8"]),
            ] as [(String, [String: String])]
        )
        func emptyContent(_ method: String, _ fields: [String: String]) async throws {
            try await withTemporaryDirectory { folder in
                let network = ScriptedTransport()
                network.response("https://m.example.com/shop/api", .ok, [:], "taken")
                var request = try Self.request("bundle://shop/api")
                request.httpMethod = method
                request.allHTTPHeaderFields = fields
                let task = try await Self.run(request, try SchemeLoaderTests.client(folder, network))
                #expect(task.calls == [.response(200), .data, .finish])
            }
        }

        @Test("a request that no layer has a response to fails offline, with the error that a session gets")
        func offline() async throws {
            try await withTemporaryDirectory { folder in
                let client = try SchemeLoaderTests.client(folder)
                let task = try await Self.run(try Self.request("bundle://shop/missing"), client)
                #expect(task.calls == [.failure(.notConnectedToInternet)])
            }
        }

        @Test("a failure of the network is an error, and a 504 of the origin is a response")
        func unavailable() async throws {
            try await withTemporaryDirectory { folder in
                let network = ScriptedTransport()
                network.response("https://m.example.com/shop/busy", .gatewayTimeout, [:], "busy")
                network.response("https://m.example.com/shop/false") { _ in
                    throw BundleError(.networkUnavailable, "refused", cause: URLError(.serverCertificateUntrusted))
                }
                let client = try SchemeLoaderTests.client(folder, network)
                let busy = try await Self.run(try Self.request("bundle://shop/busy"), client)
                #expect(busy.calls == [.response(504), .data, .finish])
                let refused = try await Self.run(try Self.request("bundle://shop/false"), client)
                #expect(refused.calls == [.failure(.serverCertificateUntrusted)])
            }
        }

        @Test("a stopped task is never told anything again")
        func stopped() async throws {
            try await withTemporaryDirectory { folder in
                let handler = BundleSchemeHandler(try SchemeLoaderTests.client(folder))
                let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
                let (stopped, other) = (
                    SimulatedSchemeTask(try Self.request("bundle://shop/app.js")),
                    SimulatedSchemeTask(try Self.request("bundle://shop/app.js"))
                )
                handler.webView(view, start: stopped)
                stopped.isStopped = true
                handler.webView(view, stop: stopped)
                handler.webView(view, start: other)
                try await eventually { other.hasEnded }
                #expect(stopped.calls.isEmpty)
                #expect(stopped.breaches.isEmpty)
            }
        }

        private static func request(_ url: String) throws -> URLRequest {
            URLRequest(url: try #require(URL(string: url)))
        }

        private static func run(_ request: URLRequest, _ client: BundleClient) async throws -> SimulatedSchemeTask {
            let handler = BundleSchemeHandler(client)
            let task = SimulatedSchemeTask(request)
            handler.webView(WKWebView(frame: .zero, configuration: WKWebViewConfiguration()), start: task)
            try await eventually { task.hasEnded }
            #expect(task.breaches.isEmpty)
            return task
        }
    }

    /// WebKit's task, which notes each call that raises an exception by its documentation.
    private final class SimulatedSchemeTask: NSObject, WKURLSchemeTask {
        enum Call: Equatable { case response(Int), data, finish, failure(URLError.Code?) }

        let request: URLRequest
        private(set) var calls: [Call] = []
        private(set) var breaches: [String] = []
        private(set) var content = Data()
        private(set) var response: HTTPURLResponse?
        private(set) var hasEnded = false
        /// Whether the web view has stopped it.
        var isStopped = false

        init(_ request: URLRequest) {
            self.request = request
        }

        func didReceive(_ response: URLResponse) {
            check("response")
            self.response = response as? HTTPURLResponse
            calls.append(.response(self.response?.statusCode ?? 0))
        }

        func didReceive(_ data: Data) {
            check("data")
            if response == nil { breaches.append("data before the response") }
            content += data
            if calls.last != .data { calls.append(.data) }
        }

        func didFinish() {
            check("finish")
            if response == nil { breaches.append("finish before the response") }
            hasEnded = true
            calls.append(.finish)
        }

        func didFailWithError(_ error: any Error) {
            check("failure")
            hasEnded = true
            calls.append(.failure((error as? URLError)?.code))
        }

        private func check(_ call: String) {
            if isStopped { breaches.append("\(call) after stop") }
            if hasEnded { breaches.append("\(call) after the end") }
        }
    }
#endif
