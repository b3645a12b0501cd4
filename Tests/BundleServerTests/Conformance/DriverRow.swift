import BundleServing
import BundleTesting
import Testing

/// A request and its required response, on every driver.
typealias DriverRow = ConformanceRow<ConformanceDriver, DriverStep>

struct DriverStep: Sendable {
    var request: ConformanceRequest
    /// The response to the request, and to the same request again, when the first response may have been kept.
    var expected: [DriverExpectation]
}

/// What a response must be, and what must be recorded of it.
struct DriverExpectation: Sendable {
    var response: ConformanceExpectation
    /// Where it comes from, as logs and metrics have it.
    var layer: ResponseSource.Layer
    /// The release that it comes from, `name@version`; nil for none.
    var release: String?
    /// Whether it is recorded with the texts of the request. Input that isn't a request, and that is too much, is not.
    var isOfRequest: Bool
    /// Whether its length is told (RFC 9112 §6.3).
    var hasLength = true
    /// How many bytes an origin sends for it.
    var originByteCount = 0

    /// From where most responses with this status come.
    init(_ response: ConformanceExpectation) {
        self.response = response
        switch response.status {
        case 200, 206, 301, 304, 412, 416: (layer, release) = (.active, Self.shop)
        case 404: (layer, release) = (.miss, nil)
        case 504: (layer, release) = (.miss, Self.shop)
        default: (layer, release) = (.server, nil)
        }
        isOfRequest = ![400, 408, 414, 429, 431].contains(response.status)
    }

    /// The status line of HTTP/1 behind the version (RFC 9112 §4), whichever layer the response comes from.
    var statusLine: String { "\(response.status) \(Self.reasonPhrases[response.status] ?? "unlisted")" }

    private static let reasonPhrases = [
        200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 304: "Not Modified",
        400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
        409: "Conflict", 412: "Precondition Failed", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 421: "Misdirected Request", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 501: "Not Implemented", 504: "Gateway Timeout",
    ]

    static let shop = "shop@1.0.0"
}

extension DriverRow {
    /// - Parameters:
    ///   - section: The source: a section of RFC 9110, unless another RFC is named.
    ///   - expected: Fields that must be there with this value, or with nil must not be there. They may have placeholders.
    ///   - content: The content of a response that has any; nil for any.
    init(
        _ section: String,
        _ method: String,
        _ target: String,
        _ fields: [(String, String)],
        _ status: Int,
        _ expected: [String: String?] = [:],
        content: String? = nil
    ) {
        let texts = fields.map { "\($0.0): \($0.1.prefix(40))" }.joined(separator: ", ")
        let isWhole = method == "GET" && target == "/shop/digits.bin" && status == 200
        let text = isWhole ? ConformanceServers.digits : content
        let hasContent = method != "HEAD" && ![204, 304].contains(status)
        let response = ConformanceExpectation(
            status,
            expected.mapValues { $0.map { .equal($0) } ?? .absent },
            content: hasContent ? text.map { .text($0) } : .empty
        )
        let expectation = DriverExpectation(response)
        self.init(
            "§\(section): \(method) \(target.prefix(40)) \(texts)",
            DriverStep(request: ConformanceRequest(method, target, fields), expected: [expectation, expectation])
        )
    }

    /// The length of the file with ten digits.
    init(
        _ section: String,
        _ method: String,
        _ fields: [(String, String)],
        _ status: Int,
        _ expected: [String: String?] = [:]
    ) {
        self.init(section, method, "/shop/digits.bin", fields, status, expected)
    }

    /// GET of the file with ten digits.
    init(
        _ section: String,
        _ fields: [(String, String)],
        _ status: Int,
        _ expected: [String: String?] = [:],
        content: String? = nil
    ) {
        self.init(section, "GET", "/shop/digits.bin", fields, status, expected, content: content)
    }
}

// MARK: - What a row says besides

extension DriverRow {
    /// For another host, or none.
    func host(_ host: String?) -> DriverRow { with { $0.request.host = host } }

    /// With content in the request.
    func sending(_ content: String, inChunks isStreamed: Bool = false) -> DriverRow {
        with { ($0.request.content, $0.request.isStreamed) = (content, isStreamed) }
    }

    /// Where the responses come from.
    func from(_ layer: ResponseSource.Layer, _ release: String? = DriverExpectation.shop) -> DriverRow {
        expecting { ($0.layer, $0.release) = (layer, release) }
    }

    /// The first response comes from the network, with this many bytes, and the second one from the cache.
    func stored(_ byteCount: Int, _ cacheStatus: String) -> DriverRow {
        with { step in
            step.expected[0].layer = .network
            step.expected[0].originByteCount = byteCount
            step.expected[0].response.fields["cache-status"] = .equal(cacheStatus)
            step.expected[1].layer = .cache
        }
    }

    /// Each response comes from the network, with this many bytes.
    func relayed(_ byteCount: Int, hasLength: Bool = true) -> DriverRow {
        from(.network).expecting { ($0.originByteCount, $0.hasLength) = (byteCount, hasLength) }
    }

    /// It is recorded with the texts of the request, or without.
    func recorded(asRequest isOfRequest: Bool) -> DriverRow { expecting { $0.isOfRequest = isOfRequest } }

    /// For drivers alone, since this is about their bytes.
    func withoutResponder() -> DriverRow { except([.responder], because: "a driver refuses what isn't a request") }

    private func expecting(_ change: (inout DriverExpectation) -> Void) -> DriverRow {
        with { step in for index in step.expected.indices { change(&step.expected[index]) } }
    }
}

// MARK: - Checking it

extension DriverRow {
    /// Sends the request twice on every driver, and compares the responses, and what is recorded of them, with the row,
    /// and the responses with each other.
    func check() async throws {
        let servers = try #require(ConformanceServers.current)
        var request = step.request
        request.fields = request.fields.map { ($0.name, servers.filled($0.value)) }
        var first: [RawResponse] = []
        for server in servers.all where exceptions[server.driver] == nil {
            request.target = step.request.target.replacing("{port}", with: "\(server.port)")
                .replacing("{scheme}", with: server.driver.isSecure ? "https" : "http")
            let exchanges = try await server.exchanges(of: request, count: step.expected.count)
            for (exchange, expected) in zip(exchanges, step.expected) {
                #expect(expected.response.problems(with: exchange.response, filling: servers.filled) == [], "\(server)")
                checkFraming(of: exchange.response, expected, server.driver)
                checkRecord(of: exchange, request, expected, server)
            }
            checkMetrics(exchanges, server)
            if first.isEmpty { first = exchanges.map(\.response) }
            for (exchange, other) in zip(exchanges, first) {
                #expect(exchange.response.comparable == other.comparable, "\(server)")
                #expect(exchange.response.body == other.body, "\(server)")
            }
        }
    }

    private func checkFraming(
        of response: RawResponse,
        _ expected: DriverExpectation,
        _ driver: ConformanceDriver
    ) {
        if step.request.method != "HEAD", ![204, 304].contains(expected.response.status) {
            let length = expected.hasLength ? String(response.body.count) : nil
            #expect(response["content-length"] == length, "\(driver)")
        }
        guard driver != .responder else { return }
        if !driver.isHTTP2 {
            #expect(response.statusLine.dropFirst("HTTP/1.x ".count) == expected.statusLine, "\(driver)")
        }
        let isChunked = !expected.hasLength && !driver.isHTTP2
        #expect(response["transfer-encoding"] == (isChunked ? "chunked" : nil), "\(driver)")
        // §6.6.1.
        #expect(response["date"].flatMap { HTTPDate($0) } != nil, "\(driver)")
    }

    private func checkRecord(
        of exchange: ConformanceExchange,
        _ request: ConformanceRequest,
        _ expected: DriverExpectation,
        _ server: ConformanceServer
    ) {
        guard let record = exchange.record else { return }
        let wanted = ConformanceRecord(
            of: request,
            expected,
            byteCount: exchange.response.body.count,
            on: server.driver,
            as: server.format
        )
        #expect(record == wanted, "\(server)")
    }

    /// Of connections that were opened for it the metrics tell, too.
    private func checkMetrics(_ exchanges: [ConformanceExchange], _ server: ConformanceServer) {
        guard let increments = exchanges.last?.increments else { return }
        var wanted: [String: Int] = [:]
        func count(_ name: String, _ amount: Int) { if amount > 0 { wanted[name, default: 0] += amount } }
        for (exchange, expected) in zip(exchanges, step.expected) {
            let layer = "layer=\"\(expected.layer.rawValue)\""
            count("bundlectl_http_requests_total{\(layer),code=\"\(expected.response.status)\"}", 1)
            count("bundlectl_http_response_body_bytes_total{\(layer)}", exchange.response.body.count)
            count("bundlectl_http_request_duration_seconds_count{\(layer)}", 1)
            count("bundlectl_origin_received_bytes_total", expected.originByteCount)
            count("bundlectl_http_connections_accepted_total", exchange.isOnNewConnection ? 1 : 0)
        }
        #expect(increments == wanted, "\(server)")
    }
}

extension RawResponse {
    /// The fields that are the same on every path, by name: all but those of the connection, and the one that is sent
    /// only over TLS (RFC 6797 §7.2). Their order has no meaning (§5.3).
    fileprivate var comparable: [String] {
        let others = ["connection", "date", "strict-transport-security", "transfer-encoding"]
        return fields.filter { !others.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted()
    }
}
