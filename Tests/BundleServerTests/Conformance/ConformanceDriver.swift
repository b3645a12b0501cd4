import BundleTesting
import Synchronization

/// What turns the bytes of a request into a request, and a response into bytes.
enum ConformanceDriver: String, Sendable, CaseIterable {
    /// None: the responder is asked directly.
    case responder
    /// HTTP/1.1 in clear text, on an event loop until something is asked that takes more.
    case loop
    /// HTTP/1.1 in clear text, on a channel from the beginning.
    case channel
    /// HTTP/1.1 over TLS.
    case http1OverTLS
    /// HTTP/2 in clear text, by prior knowledge.
    case http2
    /// HTTP/2 over TLS.
    case http2OverTLS

    /// Whether connections are TLS.
    var isSecure: Bool { self == .http1OverTLS || self == .http2OverTLS }

    var isHTTP2: Bool { self == .http2 || self == .http2OverTLS }

    /// The protocol's name in logs.
    var protocolName: String { isHTTP2 ? "HTTP/2.0" : "HTTP/1.1" }
}

/// Sends one request after the other on one connection, and opens another when the server has closed it. ``finish()`` must
/// be called at the end.
final class ConformanceClient: Sendable {
    /// Something came behind the last response.
    struct TrailingBytes: Error {}

    private typealias Exchange = (ConformanceRequest) async throws -> (response: RawResponse, isLast: Bool)
    private typealias Result = CheckedContinuation<(response: RawResponse, isOnNewConnection: Bool), any Error>
    private typealias Job = (request: ConformanceRequest, result: Result)

    private let jobs: AsyncStream<Job>.Continuation
    private let task: Task<Void, Never>

    init(_ driver: ConformanceDriver, port: Int) {
        let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
        self.jobs = jobs
        task = Task { await Self.run(stream, driver, port) }
    }

    /// Returns whether a connection was opened for the request, too.
    func response(to request: ConformanceRequest) async throws -> (response: RawResponse, isOnNewConnection: Bool) {
        try await withCheckedThrowingContinuation { jobs.yield((request, $0)) }
    }

    func finish() async {
        jobs.finish()
        await task.value
    }

    private static func run(_ jobs: AsyncStream<Job>, _ driver: ConformanceDriver, _ port: Int) async {
        var jobs = jobs.makeAsyncIterator()
        while let job = await jobs.next() {
            var next: Job? = job
            do {
                try await connect(driver, port) { exchange in
                    var isNew = true
                    while let job = next {
                        next = nil
                        do {
                            let (response, isLast) = try await exchange(job.request)
                            job.result.resume(returning: (response, isNew))
                            if isLast { return }
                        } catch {
                            return job.result.resume(throwing: error)
                        }
                        isNew = false
                        next = await jobs.next()
                    }
                }
            } catch {
                next?.result.resume(throwing: error)
            }
        }
    }

    private static func connect(
        _ driver: ConformanceDriver,
        _ port: Int,
        _ body: (Exchange) async throws -> Void
    ) async throws {
        func converse(_ connection: RawConnection) async throws {
            if driver.isHTTP2 {
                try await converseOverHTTP2(connection, body)
            } else {
                try await converseOverHTTP1(connection, body)
            }
        }
        if driver.isSecure {
            try await withRawConnection(to: port, offering: driver.isHTTP2 ? "h2" : "http/1.1") {
                try await converse($0)
            }
        } else {
            try await withRawConnection(to: port) { try await converse($0) }
        }
    }

    private static func converseOverHTTP1(
        _ connection: RawConnection,
        _ body: (Exchange) async throws -> Void
    ) async throws {
        try await body { request in
            try await connection.send(request.message)
            let response = try await connection.response(toHead: request.method == "HEAD")
            let isLast = response["connection"] == "close"
            if isLast, !(try await connection.rest()).isEmpty { throw TrailingBytes() }
            return (response, isLast)
        }
    }

    private static func converseOverHTTP2(
        _ connection: RawConnection,
        _ body: (Exchange) async throws -> Void
    ) async throws {
        let client = try HTTP2Client(connection)
        try await client.open()
        var stream: UInt32 = 1
        try await body { request in
            defer { stream += 2 }
            try await client.send(.headers(request.fieldList, stream: stream, isEnd: request.content == nil))
            if let content = request.content {
                try await client.send(.data(Array(content.utf8), stream: stream, isEnd: true))
            }
            return (try await client.response(on: stream), false)
        }
    }
}
