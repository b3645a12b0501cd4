import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import HTTPTypes
import Logging
import Synchronization
import SystemPackage

@testable import BundleServer
@testable import ServerCore

/// A server with a store of its own, whose requests come in on one driver, and whose access log has one format. For one
/// task at a time; ``stop()`` must be called at the end.
final class ConformanceServer: Sendable, CustomStringConvertible {
    /// What can be different from one suite to the next.
    typealias Configure = @Sendable (inout BundleEndpoint.Configuration) -> Void

    let driver: ConformanceDriver
    let format: AccessLogFormat
    let responder: any RequestResponder
    let metrics: EndpointMetrics
    let port: Int
    private let assembly: EndpointAssembly
    private let openChannels: OpenChannels
    private let accepting: (any Accepting)?
    private let client: ConformanceClient
    private let pipe: LogPipe
    private let log: RecordedLog
    /// What metrics said behind the last record; nil at the beginning.
    private let latestSamples = Mutex<[String: Int]?>(nil)
    /// How many requests are recorded.
    private let recordCount = Mutex(0)

    /// - Parameters:
    ///   - store: For this server alone.
    ///   - folder: Where the access log can be.
    init(
        _ driver: ConformanceDriver,
        _ format: AccessLogFormat,
        _ store: BundleStore,
        network: any OriginTransport,
        in folder: TemporaryDirectory,
        now: @escaping @Sendable () -> Date,
        configure: Configure
    ) async throws {
        (self.driver, self.format) = (driver, format)
        pipe = try LogPipe(at: folder.path(of: "\(driver)-\(format).log"))
        log = RecordedLog(level: .debug)
        var configuration = BundleEndpoint.Configuration()
        configuration.address = .tcp(host: "127.0.0.1", port: 0)
        (configuration.accessLogPath, configuration.accessLogFormat) = (pipe.path, format)
        // The clients are on this machine, and stand for those elsewhere.
        configuration.codesForLocalClients = true
        configure(&configuration)
        let endpoint = BundleEndpoint(
            store,
            configuration: configuration,
            transport: network,
            logger: log.logger,
            now: now
        )
        assembly = try EndpointAssembly(endpoint)
        let listener = assembly.listener { _ in }
        (metrics, responder) = (assembly.metrics, listener.channel.settings.responder)
        openChannels = listener.channel.openChannels
        port = assembly.sockets.first?.url().split(separator: ":").last.flatMap { Int($0) } ?? 0
        client = ConformanceClient(driver, port: port)
        accepting = try await Self.accept(driver, listener, assembly)
        assembly.health.startServing()
    }

    private static func accept(
        _ driver: ConformanceDriver,
        _ listener: EndpointListener,
        _ assembly: EndpointAssembly
    ) async throws -> (any Accepting)? {
        let (endpoint, sockets) = (assembly.endpoint, assembly.sockets)
        switch driver {
        case .responder:
            for socket in sockets { socket.close() }
            return nil
        case .channel:
            return try await ChannelAccepting(
                from: sockets,
                for: listener.channel,
                limiter: AddressLimiter.connections(endpoint.configuration.limits, metrics: assembly.metrics),
                failures: AcceptFailureLog(logger: endpoint.logger, now: endpoint.now)
            )
        case .loop, .http1OverTLS, .http2, .http2OverTLS:
            return try await listener.acceptor.accept(from: sockets, for: listener.channel)
        }
    }

    var description: String { "\(driver), \(format)" }

    /// Closes the client's connection, for good.
    func closeConnection() async { await client.finish() }

    func stop() async {
        await client.finish()
        accepting?.drain()
        accepting?.stop()
        _ = await accepting?.end()
        await assembly.log?.finish()
        pipe.close()
    }

    /// Sends a request several times.
    func exchanges(of request: ConformanceRequest, count: Int) async throws -> [ConformanceExchange] {
        var exchanges: [ConformanceExchange] = []
        guard driver != .responder else {
            for _ in 0..<count { exchanges.append(ConformanceExchange(response: try await ask(request))) }
            return exchanges
        }
        try await settle()
        let before = latestSamples.withLock(\.self) ?? samples
        for _ in 0..<count {
            let (response, isNew) = try await client.response(to: request)
            exchanges.append(
                ConformanceExchange(response: response, record: try await record(), isOnNewConnection: isNew)
            )
        }
        let after = samples
        latestSamples.withLock { $0 = after }
        let increments = after.compactMap { name, value in
            value == before[name] ? nil : (name, value - (before[name] ?? 0))
        }
        exchanges[count - 1].increments = Dictionary(uniqueKeysWithValues: increments)
        return exchanges
    }

    /// Has the connection be its loop's again, if what came before has made it a channel.
    private func settle() async throws {
        guard driver == .loop, openChannels.count > 0 else { return }
        _ = try await client.response(to: ConformanceRequest("GET", "/shop/digits.bin"))
        _ = try await record()
        latestSamples.withLock { $0 = nil }
        try await eventually { openChannels.count == 0 }
    }

    /// The record of the request whose response has come.
    private func record() async throws -> ConformanceRecord {
        let number = recordCount.withLock { count in
            defer { count += 1 }
            return count
        }
        // It is the last of the records.
        let debugLine = try await log.message(number, at: .debug)
        // Has what is buffered written.
        assembly.log?.reopen()
        return ConformanceRecord(accessLogLine: try await pipe.line(number), debugLine: debugLine)
    }

    /// A metric without labels.
    func metric(_ name: String) -> Int { allSamples[name] ?? 0 }

    /// The metrics, without what depends on the time that something takes, and on when an earlier connection is closed.
    private var samples: [String: Int] {
        allSamples.filter { name, _ in
            let isTimed = name.contains("_seconds_bucket") || name.contains("_seconds_sum")
            return !isTimed && name != "bundlectl_http_connections"
        }
    }

    /// Those that are whole numbers, and not zero.
    private var allSamples: [String: Int] {
        var page = MetricPage()
        metrics.write(to: &page)
        let samples = PrometheusText(page).text.utf8.split(separator: UInt8(ascii: "\n")).compactMap {
            line -> (String, Int)? in
            guard line.first != UInt8(ascii: "#"), let space = line.lastIndex(of: UInt8(ascii: " ")),
                let value = Int(Substring(line[space...].dropFirst())), value > 0
            else { return nil }
            return (String(Substring(line[..<space])), value)
        }
        return Dictionary(uniqueKeysWithValues: samples)
    }

    /// What the responder says without a driver.
    ///
    /// - Parameter isLocal: Whether the client is on this machine.
    func ask(_ request: ConformanceRequest, isLocal: Bool = true) async throws -> RawResponse {
        guard let request = request.request() else { throw MalformedRequest.syntax }
        switch responder.begin(request, on: ConnectionInfo(port: port, isLocal: isLocal)) {
        case .complete(let response, _, _): return RawResponse(response.head, response.body.array)
        case .waiting(let rest):
            switch await rest(.none) {
            case .complete(let response, _): return RawResponse(response.head, response.body.array)
            case .streaming(let head, let body, _):
                var content: [UInt8] = []
                for try await chunk in body { content += chunk }
                return RawResponse(head, content)
            case .switching(let head, _, _): return RawResponse(head, [])
            }
        }
    }
}

extension RawResponse {
    fileprivate init(_ head: HTTPResponse, _ body: [UInt8]) {
        let fields = head.headerFields.map { (name: $0.name.canonicalName, value: $0.value) }
        self.init(status: head.status.code, fields: fields, body: body)
    }
}

/// The response to a request, and what was recorded of it.
struct ConformanceExchange: Sendable {
    let response: RawResponse
    /// Nil without a driver.
    var record: ConformanceRecord?
    /// Whether a connection was opened for it.
    var isOnNewConnection = false
    /// By how much metrics have grown since the first one of the row, for the last one; nil for others, and without a
    /// driver.
    var increments: [String: Int]?
}

/// A named pipe, and the lines that have been written to it. ``close()`` must be called at the end.
private final class LogPipe: Sendable {
    let path: String
    private let lines = Monitor<[String]>([])
    private let descriptor: CInt

    init(at path: String) throws {
        self.path = path
        guard mkfifo(path, 0o600) == 0 else { throw Errno(rawValue: errno) }
        // With a writer of its own it doesn't end when others do.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        Thread.detachNewThread { [self] in read() }
    }

    /// Waits for a line; the first one has the number 0.
    func line(_ number: Int) async throws -> String {
        try await lines.wait(for: "line \(number)", deadline: .seconds(30)) { $0.count > number ? $0[number] : nil }
    }

    func close() {
        // Nobody else writes an empty line: it ends the thread.
        _ = try? FileDescriptor(rawValue: descriptor).writeAll([UInt8(ascii: "\n")])
    }

    private func read() {
        var received: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4 << 10)
        while true {
            let count = Foundation.read(descriptor, &block, block.count)
            guard count > 0 else { break }
            received += block[..<count]
            while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                guard end > 0 else {
                    _ = Foundation.close(descriptor)
                    return
                }
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                lines.update { $0.append(line) }
            }
        }
    }
}
