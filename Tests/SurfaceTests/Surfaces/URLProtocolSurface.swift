import BundleEmbedding
import BundleTesting
import Foundation
import OfflineBundles
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `URLSession` with `BundleURLProtocol`, as an app sees it: a data task with a delegate.
final class URLProtocolSurface: Surface {
    private let client: BundleClient
    private let session: URLSession
    private let world: SurfaceWorld

    init(_ world: SurfaceWorld) throws {
        var configuration = BundleClient.Configuration()
        configuration.isDevelopment = true
        configuration.retries = .none
        configuration.fetchLimits.fallbackTimeout = .seconds(60)
        client = try BundleClient(at: world.store, transport: URLSessionTransport(), configuration: configuration)
        let settings = URLSessionConfiguration.ephemeral
        BundleURLProtocol.install(client, in: settings)
        session = URLSession(configuration: settings, delegate: Exchanges(), delegateQueue: nil)
        self.world = world
    }

    func send(_ request: ConformanceRequest) async throws -> RawResponse {
        var call = URLRequest(url: try #require(URL(string: world.url(request.target))))
        call.httpMethod = request.method
        let content = request.content.map { Data($0.utf8) }
        if request.isStreamed {
            call.httpBodyStream = content.map { InputStream(data: $0) }
        } else {
            call.httpBody = content
        }
        for field in request.allFields { call.addValue(field.value, forHTTPHeaderField: field.name) }
        let task = session.dataTask(with: call)
        let exchanges = try #require(session.delegate as? Exchanges)
        let (response, body) = try await exchanges.run(task)
        return RawResponse(
            status: response.statusCode,
            fields: response.allHeaderFields.compactMap { name, value in
                (name as? String).flatMap { name in (value as? String).map { (name: name, value: $0) } }
            },
            body: Array(body)
        )
    }

    func update() async throws { try await client.update(SurfaceWorld.name) }

    func rollBack() async throws { try await client.rollBack(SurfaceWorld.name) }

    func setRules(_ json: String) async throws { client.rules = try CommonRules.parse(json).rules }

    func close() async throws {
        session.invalidateAndCancel()
        client.close()
    }
}

/// The delegate of a session, which follows no redirect.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        var response: HTTPURLResponse?
        var body = Data()
        let end: CheckedContinuation<(HTTPURLResponse, Data), any Error>
    }

    private let running = Mutex<[Int: Exchange]>([:])

    func run(_ task: URLSessionDataTask) async throws -> (HTTPURLResponse, Data) {
        try await withCheckedThrowingContinuation { continuation in
            running.withLock { $0[task.taskIdentifier] = Exchange(end: continuation) }
            task.resume()
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        running.withLock { $0[dataTask.taskIdentifier]?.response = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        running.withLock { $0[dataTask.taskIdentifier]?.body.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error { return exchange.end.resume(throwing: error) }
        guard let response = exchange.response else {
            return exchange.end.resume(throwing: URLError(.badServerResponse))
        }
        exchange.end.resume(returning: (response, exchange.body))
    }
}
