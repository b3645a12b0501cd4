import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation
import HTTPCore
import HTTPTypes

/// Asks a server that speaks Prometheus' HTTP API, such as Prometheus, VictoriaMetrics, Thanos or Mimir. What it responds is bounded in time
/// and length. A value type; safe to share between threads.
struct PrometheusAPI: Sendable {
    /// The longest response in bytes: one number has some hundred.
    static let maximumByteCount = 1 << 20
    /// How long a query may take, its response included.
    static let defaultTimeLimit: Duration = .seconds(30)

    /// Where the API is, without `/api/v1` and a slash at the end.
    let url: String
    let transport: any OriginTransport
    let clock: any Clock<Duration>
    /// The users and passwords for hosts.
    var credentials = FeedCredentials.none
    var timeLimit = Self.defaultTimeLimit

    /// The value of a query now.
    ///
    /// - Parameter query: In PromQL; it has one value at most.
    /// - Returns: A number that isn't negative; nil when the query has no value.
    /// - Throws: `BundleError` with code `networkUnavailable` when the server can't be reached, or doesn't respond in time or with 200;
    ///   `unexpectedResponse` when the response is too long, isn't one of this API, or has something else than one such number;
    ///   `CancellationError`.
    func value(of query: String) async throws -> Double? {
        let words = PercentEncoding.encode(component: query)
        guard let target = OriginTarget("\(url)/api/v1/query?query=\(words)") else {
            throw BundleError(.networkUnavailable, "\(URL.reported(url)) isn't a URL that can be asked")
        }
        let (status, bytes) = try await limited { try await ask(target) }
        let name = URL.reported(url)
        guard status == .ok else { throw refusal(status, bytes) }
        let root = try JSONElement(
            parsing: bytes,
            named: name,
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .unexpectedResponse
        )
        return try Self.number(in: root)
    }

    private func ask(_ target: OriginTarget) async throws -> (HTTPResponse.Status, [UInt8]) {
        var request = HTTPRequest(
            method: .get,
            scheme: target.scheme,
            authority: target.authority,
            path: target.path
        )
        request.headerFields[.userAgent] = ProductVersion.userAgent
        request.headerFields[.accept] = "application/json"
        for field in credentials.fields(for: target) { request.headerFields[field.name] = field.value }
        let response = try await transport.send(request)
        var bytes: [UInt8] = []
        for try await chunk in response.body {
            bytes += chunk
            guard bytes.count <= Self.maximumByteCount else {
                throw BundleError(
                    .unexpectedResponse,
                    "\(URL.reported(url)) responded with over \(Self.maximumByteCount) bytes"
                )
            }
        }
        return (response.head.status, bytes)
    }

    private func limited<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { [clock, timeLimit, url] group in
            group.addTask(operation: work)
            group.addTask {
                try await clock.sleep(for: timeLimit)
                throw BundleError(.networkUnavailable, "\(URL.reported(url)) didn't respond within \(timeLimit)")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    /// The error for a response that isn't 200, with the reason that the API gives for a query that is wrong.
    private func refusal(_ status: HTTPResponse.Status, _ bytes: [UInt8]) -> BundleError {
        let problem = "\(URL.reported(url)) responded with \(status.code)"
        if status == .unauthorized { return BundleError(.networkUnavailable, problem, .giveFeedCredential) }
        let root = try? JSONElement(
            parsing: bytes,
            named: "",
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .unexpectedResponse
        )
        let reason = (try? root?.member("error")?.string()) ?? nil
        return BundleError(
            .networkUnavailable,
            problem + (reason.map { ": \(Printable.line(String($0.prefix(200))))" } ?? "")
        )
    }

    /// The number of an instant vector with one element, or of a scalar; nil for an empty vector.
    private static func number(in root: JSONElement) throws(BundleError) -> Double? {
        guard try root.required("status").string() == "success" else { throw root.refused("the query failed") }
        let data = try root.required("data")
        let result = try data.required("result")
        switch try data.required("resultType").string() {
        case "scalar": return try number(ofSample: result)
        case "vector":
            let elements = try result.array()
            guard elements.count <= 1 else {
                throw result.refused("the query has \(elements.count) values; it must have one, such as by sum()")
            }
            return try elements.first.map { (element) throws(BundleError) in
                try number(ofSample: element.required("value"))
            }
        default: throw data.refused("the query has another kind of result than a number")
        }
    }

    /// - Parameter sample: A time, and a number as text.
    private static func number(ofSample sample: JSONElement) throws(BundleError) -> Double {
        let parts = try sample.array()
        guard parts.count == 2, case let text = try parts[1].string(), let number = Double(text), number.isFinite,
            number >= 0
        else { throw sample.refused("isn't a time and a number that isn't negative") }
        return number
    }
}
