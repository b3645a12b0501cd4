import BundleServing
import BundleTesting
import Testing

/// A request and its required response, on every path.
struct DriverRow: Sendable, CustomTestStringConvertible {
    /// The source: a section of RFC 9110, unless another RFC is named.
    let section: String
    private(set) var request: ConformanceRequest
    /// The response to the request, and to the same request again, when the first response may have been kept.
    private(set) var expected: [ConformanceExpectation]
    /// Why it can't be run on some drivers.
    private(set) var exceptions: [ConformanceDriver: String] = [:]

    init(
        _ section: String,
        _ method: String,
        _ target: String,
        _ fields: [(String, String)],
        _ status: Int,
        _ expected: [String: String?] = [:],
        content: String? = nil
    ) {
        self.section = section
        request = ConformanceRequest(method: method, target: target, fields: fields.map { (name: $0.0, value: $0.1) })
        let isWhole = method == "GET" && target == "/shop/digits.bin" && status == 200
        let content = isWhole ? ConformanceServers.digits : content
        let expectation = ConformanceExpectation(status, expected, content: content)
        self.expected = [expectation, expectation]
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

    var testDescription: String {
        let fields = request.fields.map { "\($0.name): \($0.value.prefix(40))" }.joined(separator: ", ")
        return "§\(section): \(request.method) \(request.target.prefix(40)) \(fields)"
    }
}

// MARK: - What a row says besides

extension DriverRow {
    /// For another host, or none.
    func host(_ host: String?) -> DriverRow { with { $0.request.host = host } }

    /// With content in the request.
    func sending(_ content: String) -> DriverRow { with { $0.request.content = content } }

    /// Where the responses come from.
    func from(_ layer: ResponseSource.Layer, _ release: String? = ConformanceExpectation.shop) -> DriverRow {
        with { row in
            for index in row.expected.indices {
                (row.expected[index].layer, row.expected[index].release) = (layer, release)
            }
        }
    }

    /// The first response comes from the network, with this many bytes, and the second one from the cache.
    func stored(_ byteCount: Int, _ cacheStatus: String) -> DriverRow {
        with { row in
            row.expected[0].layer = .network
            row.expected[0].originByteCount = byteCount
            row.expected[0].fields["cache-status"] = cacheStatus
            row.expected[1].layer = .cache
        }
    }

    /// Each response comes from the network, with this many bytes.
    func relayed(_ byteCount: Int, hasLength: Bool = true) -> DriverRow {
        with { row in
            for index in row.expected.indices {
                row.expected[index].layer = .network
                row.expected[index].release = ConformanceExpectation.shop
                row.expected[index].originByteCount = byteCount
                row.expected[index].hasLength = hasLength
            }
        }
    }

    /// It is recorded with the texts of the request, or without.
    func recorded(asRequest isOfRequest: Bool) -> DriverRow {
        with { row in for index in row.expected.indices { row.expected[index].isOfRequest = isOfRequest } }
    }

    /// Not for these drivers.
    func except(_ drivers: [ConformanceDriver], because reason: String) -> DriverRow {
        with { row in for driver in drivers { row.exceptions[driver] = reason } }
    }

    /// For drivers alone, since this is about their bytes.
    func withoutResponder() -> DriverRow { except([.responder], because: "a driver refuses what isn't a request") }

    private func with(_ change: (inout DriverRow) -> Void) -> DriverRow {
        var row = self
        change(&row)
        return row
    }
}

// MARK: - Checking it

extension DriverRow {
    /// Sends the request twice on every driver, and compares the responses, and what is recorded of them, with the row,
    /// and the responses with each other.
    func check() async throws {
        let servers = try #require(ConformanceServers.current)
        var request = request
        request.fields = request.fields.map { ($0.name, servers.filled($0.value)) }
        var first: [RawResponse] = []
        for server in servers.all where exceptions[server.driver] == nil {
            request.target = self.request.target.replacing("{port}", with: "\(server.port)")
                .replacing("{scheme}", with: server.driver.isSecure ? "https" : "http")
            let exchanges = try await server.exchanges(of: request, count: expected.count)
            for (exchange, expectation) in zip(exchanges, expected) {
                check(exchange.response, expectation, servers, server.driver)
                if let record = exchange.record { check(record, of: exchange, request, expectation, server) }
            }
            checkMetrics(exchanges, server)
            if first.isEmpty { first = exchanges.map(\.response) }
            for (exchange, other) in zip(exchanges, first) {
                #expect(exchange.response.comparable == other.comparable, "\(server)")
                #expect(exchange.response.body == other.body, "\(server)")
            }
        }
    }

    private func check(
        _ response: RawResponse,
        _ expected: ConformanceExpectation,
        _ servers: ConformanceServers,
        _ driver: ConformanceDriver
    ) {
        #expect(response.status == expected.status, "\(driver)")
        for (name, value) in expected.fields {
            #expect(response.lines(of: name) == value.map(servers.filled), "\(driver): \(name)")
        }
        if let content = expected.content, request.method != "HEAD" { #expect(response.text == content, "\(driver)") }
        if request.method == "HEAD" || [204, 304].contains(expected.status) {
            #expect(response.body.isEmpty, "\(driver)")
        } else {
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

    private func check(
        _ record: ConformanceRecord,
        of exchange: ConformanceExchange,
        _ request: ConformanceRequest,
        _ expected: ConformanceExpectation,
        _ server: ConformanceServer
    ) {
        let byteCount = expected.content.map { request.method == "HEAD" ? 0 : $0.utf8.count }
        let wanted = ConformanceRecord(
            of: request,
            expected,
            byteCount: byteCount ?? exchange.response.body.count,
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
        for (exchange, expected) in zip(exchanges, expected) {
            let layer = "layer=\"\(expected.layer.rawValue)\""
            count("bundlectl_http_requests_total{\(layer),code=\"\(expected.status)\"}", 1)
            count("bundlectl_http_response_body_bytes_total{\(layer)}", exchange.response.body.count)
            count("bundlectl_http_request_duration_seconds_count{\(layer)}", 1)
            count("bundlectl_origin_received_bytes_total", expected.originByteCount)
            count("bundlectl_http_connections_accepted_total", exchange.isOnNewConnection ? 1 : 0)
        }
        #expect(increments == wanted, "\(server)")
    }
}

extension RawResponse {
    /// The values of a field, one a line; nil when there is none.
    fileprivate func lines(of name: String) -> String? {
        let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: "\n")
    }

    /// The fields that are the same on every path, by name: all but those of the connection, and the one that is sent
    /// only over TLS (RFC 6797 §7.2). Their order has no meaning (§5.3).
    fileprivate var comparable: [String] {
        let others = ["connection", "date", "strict-transport-security", "transfer-encoding"]
        return fields.filter { !others.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted()
    }
}
