import BundleStore
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes

/// Pushes metrics to a collector, one request at a time and none again: the values are cumulative, so the next push has all that this
/// one had. A value type; safe to share between threads.
package struct TelemetryExporter: Sendable {
    /// How long a push may take, with its response.
    static let timeLimit: Duration = .seconds(10)
    /// How much of a response is read.
    private static let maximumResponseByteCount = 64 << 10

    /// What has become of a push.
    package enum Outcome: Sendable, Equatable {
        case taken
        /// The collector has refused some values, for a reason of its own.
        case partlyTaken(rejectedCount: Int64, message: String)
        /// Nothing was taken.
        case failed(reason: String)

        /// What a log says of it; nil when everything is as it should be.
        package var warning: String? {
            switch self {
            case .taken: nil
            case .partlyTaken(let count, let message):
                "the collector has refused \(count) of the metrics\(message.isEmpty ? "" : ": \(Printable.text(message))")"
            case .failed(let reason): "the metrics weren't taken: \(reason)"
            }
        }

        /// Whether it is of the same kind as another one.
        func isAlike(_ other: Outcome) -> Bool {
            switch (self, other) {
            case (.taken, .taken), (.partlyTaken, .partlyTaken), (.failed, .failed): true
            default: false
            }
        }
    }

    private let target: TelemetryTarget
    package let identity: FleetIdentity
    private let transport: any OriginTransport
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - target: The collector.
    ///   - identity: What it knows the installation by.
    ///   - transport: The network; the caller shuts it down.
    ///   - clock: For the limit of time.
    ///   - now: For the times of values.
    package init(
        to target: TelemetryTarget,
        as identity: FleetIdentity,
        over transport: any OriginTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.target, self.identity, self.transport, self.clock, self.now) = (target, identity, transport, clock, now)
    }

    /// Sends a page, and waits for the response, for at most ten seconds.
    ///
    /// - Parameter start: When the counters were 0 that don't outlive the process.
    /// - Returns: What has become of it, and how long the collector wants to be left alone.
    package func push(_ page: MetricPage, since start: Date) async -> (outcome: Outcome, pause: Duration) {
        do {
            return try await limited { try await exchange(call(page, since: start)) }
        } catch let error as BundleError {
            return (.failed(reason: error.message), .zero)
        } catch {
            return (.failed(reason: "it was cancelled"), .zero)
        }
    }

    private func call(_ page: MetricPage, since start: Date) -> OriginCall {
        let (method, type, content): (HTTPRequest.Method, String, String) =
            switch target.form {
            case .otlp: (.post, "application/json", JSONDocument.line(of: document(of: page, since: start)))
            // What was pushed before and is missing now goes with PUT.
            case .pushgateway: (.put, PrometheusText.mediaType, PrometheusText(page).text)
            }
        let url = target.url(for: identity)
        var request = HTTPRequest(
            method: method,
            scheme: url.scheme,
            authority: url.host().map { host in url.port.map { "\(host):\($0)" } ?? host },
            path: url.path(percentEncoded: true)
        )
        request.headerFields[.userAgent] = "\(identity.program)/\(ProductVersion.string)"
        request.headerFields[.contentType] = type
        request.headerFields[.contentLength] = String(content.utf8.count)
        var call = OriginCall(request)
        call.content = BodyStream(Array(content.utf8))
        return call
    }

    private func document(of page: MetricPage, since start: Date) -> OTLPDocument {
        OTLPDocument(page, of: identity, since: start, at: now())
    }

    private func exchange(_ call: OriginCall) async throws -> (outcome: Outcome, pause: Duration) {
        let response = try await transport.send(call)
        let code = response.head.status.code
        guard (200..<300).contains(code) else {
            // Only these ask for it: OTLP/HTTP, “Retryable Response Codes”.
            let retry = [429, 502, 503, 504].contains(code) ? RetryAfter(response.head, now: now()) : nil
            return (.failed(reason: "it responded with \(code)"), retry.map { .seconds($0.seconds) } ?? .zero)
        }
        guard target.form == .otlp else { return (.taken, .zero) }
        return (try await partialSuccess(in: response.body) ?? .taken, .zero)
    }

    /// What a collector says in its response; nil when it says nothing that can be read.
    private func partialSuccess(in body: BodyStream) async throws -> Outcome? {
        var bytes: [UInt8] = []
        for try await chunk in body {
            guard bytes.count + chunk.count <= Self.maximumResponseByteCount else { return nil }
            bytes += chunk
        }
        let response = try? JSONDecoder().decode(ExportResponse.self, from: Data(bytes))
        guard let partial = response?.partialSuccess, let count = partial.rejectedDataPoints?.value, count > 0 else {
            return nil
        }
        return .partlyTaken(rejectedCount: count, message: partial.errorMessage ?? "")
    }

    private func limited<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { [clock] group in
            group.addTask(operation: work)
            group.addTask {
                try await clock.sleep(for: Self.timeLimit)
                throw BundleError(.networkUnavailable, "it didn't respond within \(Self.timeLimit)")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}

/// opentelemetry-proto's `ExportMetricsServiceResponse`.
private struct ExportResponse: Decodable {
    struct PartialSuccess: Decodable {
        let rejectedDataPoints: Count?
        let errorMessage: String?
    }

    /// An integer of 64 bits, which collectors write as a string or as a number.
    struct Count: Decodable {
        let value: Int64?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = (try? container.decode(Int64.self)) ?? (try? container.decode(String.self)).flatMap { Int64($0) }
        }
    }

    let partialSuccess: PartialSuccess?
}
