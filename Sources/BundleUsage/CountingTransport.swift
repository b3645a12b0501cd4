import BundleStore
import HTTPCore
import HTTPTypes
import Synchronization

/// Counts what passes through a transport. Thread-safe.
package struct CountingTransport: OriginTransport {
    private let transport: any OriginTransport
    private let ledger: TrafficLedger

    /// - Parameters:
    ///   - transport: What sends the requests.
    ///   - ledger: Where they are counted.
    package init(_ transport: any OriginTransport, _ ledger: TrafficLedger) {
        (self.transport, self.ledger) = (transport, ledger)
    }

    /// Sends a request, and counts it and its response.
    package func send(_ call: OriginCall) async throws -> OriginResponse {
        let (ledger, host) = (ledger, Self.host(of: call.request))
        ledger.count(host, requests: 1, sent: Self.byteCount(of: call.request))
        var counted = call
        counted.content = call.content.map { content in content.counting { ledger.count(host, sent: $0) } }
        counted.onInterim = { head in
            ledger.count(host, received: Self.byteCount(of: head))
            call.onInterim?(head)
        }
        let response = try await transport.send(counted)
        ledger.count(host, received: Self.byteCount(of: response.head))
        if let tunnel = response.tunnel { return OriginResponse(head: response.head, tunnel: tunnel) }
        let body = response.body.counting { ledger.count(host, received: $0) }
        return OriginResponse(head: response.head, body: body)
    }

    private static func host(of request: HTTPRequest) -> String {
        RequestTarget("/", host: request.authority)?.host ?? ""
    }

    /// RFC 9112 §3: `GET /path HTTP/1.1`, the field Host, the others, an empty line.
    private static func byteCount(of request: HTTPRequest) -> Int {
        let line = "\(request.method) \(request.path ?? "/") HTTP/1.1".utf8.count + 2
        let host = "host: ".utf8.count + (request.authority?.utf8.count ?? 0) + 2
        return line + host + byteCount(of: request.headerFields) + 2
    }

    /// RFC 9112 §4: `HTTP/1.1 200 OK`, the fields, an empty line.
    private static func byteCount(of response: HTTPResponse) -> Int {
        "HTTP/1.1 200 ".utf8.count + response.status.reasonPhrase.utf8.count + 2 + byteCount(of: response.headerFields)
            + 2
    }

    private static func byteCount(of fields: HTTPFields) -> Int {
        fields.reduce(0) { $0 + $1.name.canonicalName.utf8.count + $1.value.utf8.count + 4 }
    }
}

extension BodyStream {
    /// The same body, whose chunks are counted when they are read; what has arrived is counted at once.
    package func counting(_ note: @escaping @Sendable (Int) -> Void) -> BodyStream {
        guard let arrived else {
            return BodyStream(
                map {
                    note($0.count); return $0
                },
                trailers: { trailers }
            )
        }
        note(arrived.count)
        return self
    }
}

/// Counts what is sent and received, by host. Thread-safe.
package final class TrafficLedger: Sendable {
    /// More than an app asks; those that come later are counted together.
    static let maximumHostCount = 1_024

    private let hosts = Mutex<[String: HostTraffic]>([:])

    /// Nothing has been counted.
    package init() {}

    /// What was counted, by host.
    package var traffic: [HostTraffic] { hosts.withLock { $0.values.sorted { $0.host < $1.host } } }

    func count(_ host: String, requests: Int64 = 0, sent: Int = 0, received: Int = 0) {
        hosts.withLock { hosts in
            let isKnown = hosts[host] != nil || hosts.count < Self.maximumHostCount
            let host = isKnown ? host : ""
            hosts[host, default: HostTraffic(host)].requestCount &+= requests
            hosts[host]?.sentByteCount &+= Int64(clamping: sent)
            hosts[host]?.receivedByteCount &+= Int64(clamping: received)
        }
    }
}

/// What was sent to a host and received from it. A value type; safe to share between threads.
public struct HostTraffic: Hashable, Sendable, Encodable {
    /// The host of the URLs, without a port; empty for all hosts together that there was no more room for.
    public let host: String
    /// How many requests were sent.
    public internal(set) var requestCount: Int64 = 0
    /// The bytes of requests: heads, as HTTP/1.1 writes them, and contents. TLS and TCP come on top.
    public internal(set) var sentByteCount: Int64 = 0
    /// The bytes of responses, in the same way. What is read of a content counts.
    public internal(set) var receivedByteCount: Int64 = 0

    init(_ host: String) {
        self.host = host
    }
}
