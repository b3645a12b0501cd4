import BundleServing
import Testing

/// A request and its required response, on every path.
struct ConformanceRow: Sendable, CustomTestStringConvertible {
    /// The source: a section of RFC 9110, unless another RFC is named.
    let section: String
    let request: ConformanceRequest
    let status: Int
    /// Fields that must have this value; nil for fields that must be absent.
    let fields: [String: String?]
    /// The content; nil for any.
    let content: String?

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
        self.status = status
        self.fields = expected
        self.content = content
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

    /// Sends the request on every path, and compares the responses with the row and with each other.
    func check() async throws {
        let servers = try #require(ConformanceServers.current)
        var request = request
        request.fields = request.fields.map { ($0.name, servers.filled($0.value)) }
        var first: RawResponse?
        for path in ConformancePath.allCases {
            for response in try await path.responses(to: request, from: servers) {
                check(response, servers, path)
                let expected = first ?? response
                #expect(response.comparable == expected.comparable, "\(path)")
                #expect(response.body == expected.body, "\(path)")
                first = expected
            }
        }
    }

    private func check(_ response: RawResponse, _ servers: ConformanceServers, _ path: ConformancePath) {
        #expect(response.status == status, "\(path)")
        for (name, value) in fields { #expect(response[name] == value.map(servers.filled), "\(path): \(name)") }
        if let content { #expect(response.text == content, "\(path)") }
        if request.method == "HEAD" || [204, 304].contains(status) { #expect(response.body.isEmpty, "\(path)") }
        if request.method != "HEAD", ![204, 304].contains(status) {
            #expect(response["content-length"] == String(response.body.count), "\(path)")
        }
        // §6.6.1.
        #expect(response["date"].flatMap { HTTPDate($0) } != nil, "\(path)")
    }
}

extension RawResponse {
    /// The fields that are the same on every path, by name: all but those of the connection, and the one that is sent
    /// only over TLS (RFC 6797 §7.2). Their order has no meaning (§5.3).
    fileprivate var comparable: [String] {
        let others = ["connection", "strict-transport-security"]
        return fields.filter { !others.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted()
    }
}
