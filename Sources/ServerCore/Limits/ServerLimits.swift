import HTTPCore
import HTTPTypes
import NIOCore

/// The limits of a server for one client and for all clients together. A value type; safe to share between threads.
public struct ServerLimits: Sendable, Hashable {
    /// The maximum number of open connections; at least 1. Default: 16,384. A connection over the limit gets 503 and is
    /// closed; over TLS, where no response is possible before the handshake, and on systems other than Linux it is
    /// closed without a response.
    public var connections = 16_384
    /// The maximum number of open connections from one address; at least 1. Default: 1,024. It doesn't apply to a Unix
    /// socket.
    public var connectionsPerAddress = 1_024
    /// The maximum number of requests whose responses are awaited or arrive, from the network or the disk, event streams and
    /// tunnels included; at least 1. Default: 4,096. One over the limit gets 503 with `Retry-After`.
    public var waitingRequests = 4_096
    /// The same for one address; at least 1. Default: 1,024. It doesn't apply to a Unix socket.
    public var waitingRequestsPerAddress = 1_024
    /// The maximum number of requests per second on a connection; at least 1. Default: 50,000. A request over the limit
    /// gets 429, or over HTTP/2 a stream reset with ENHANCE_YOUR_CALM; then the connection is closed.
    public var requestsPerSecond = 50_000
    /// The limits of a request's head. A field over HTTP/2 is at most 64 KiB long.
    public var head = RequestHeadLimits()
    /// How long a connection may be idle between requests; more than zero. Default: 60 s.
    public var idle: Duration = .seconds(60)
    /// How long a request's head may take from its first byte to its last; more than zero. Default: 20 s.
    public var headTime: Duration = .seconds(20)
    /// How long a request's content may take, or each 64 KiB of content that a responder reads; more than zero. Default:
    /// 30 s.
    public var bodyTime: Duration = .seconds(30)
    /// How long a client may take nothing of a response; more than zero. Default: 30 s. Then the connection is reset;
    /// over HTTP/2 only the stream, unless the client takes nothing on the whole connection.
    public var writeStall: Duration = .seconds(30)

    /// How long input is read and discarded after the last response: closing a connection with unread input could
    /// destroy the response on its way (RFC 9112 §9.6). 5 s, as in nginx.
    static let linger: Duration = .seconds(5)

    /// How long the response to a client that has ended its side is awaited. Most of these clients are gone: a browser
    /// closes a connection, and then the system says no more than that nothing follows. Those that still read, as old ones
    /// do, get what comes in a second.
    var halfClosedWait: Duration = .seconds(1)

    /// The default limits, for a server on the user's own machine and for a kiosk.
    public init() {}
}

extension ServerLimits {
    /// How often a channel checks its time limits: what begins after one check can't be overdue before the next.
    var watchInterval: TimeAmount { TimeAmount(min(idle, headTime, bodyTime, writeStall)) }
}

/// Why a request gets no other response although it is valid.
enum Overload {
    /// There are too many connections.
    case connections
    /// Too many requests wait for their responses. The connection stays open.
    case waitingRequests
    /// A request didn't arrive in time.
    case requestTime
    /// There are too many requests on the connection.
    case requests

    /// The response, before the connection ends in most cases.
    var response: Response {
        switch self {
        case .connections:
            plain(.serviceUnavailable, "There are too many connections; try again in a moment.", ["1"])
        case .waitingRequests:
            plain(
                .serviceUnavailable,
                "There are too many requests under way; try again in a moment.",
                ["1"],
                closesConnection: false
            )
        case .requestTime:
            plain(.requestTimeout, "The request took too long to arrive.", [])
        case .requests:
            plain(.tooManyRequests, "There are too many requests on this connection; try again in a moment.", ["1"])
        }
    }

    private func plain(
        _ status: HTTPResponse.Status,
        _ text: String,
        _ retryAfter: [String],
        closesConnection: Bool = true
    ) -> Response {
        var fields: HTTPFields = [.cacheStatus: CacheStatus(nil, detail: "limit").fieldValue]
        if closesConnection { fields[.connection] = "close" }
        fields[values: .retryAfter] = retryAfter
        return .plain(status, text, fields: fields)
    }
}

/// How long a client has taken for content that was wanted: a limit for each 64 KiB, so that a long upload isn't cut, and a
/// client that sends a byte now and then is. Pure.
struct ContentPace {
    private static let stepByteCount = 64 << 10

    private var waited = TimeAmount.zero
    private var byteCount = 0
    private var wantedSince: NIODeadline?

    /// Notes that content is wanted. The time during which it isn't doesn't count.
    mutating func want(at now: NIODeadline) {
        if wantedSince == nil { wantedSince = now }
    }

    /// Notes that this many bytes have come.
    mutating func take(_ count: Int, at now: NIODeadline) {
        if let wantedSince { waited = waited + (now - wantedSince) }
        wantedSince = nil
        byteCount += count
        if byteCount >= Self.stepByteCount { (waited, byteCount) = (.zero, 0) }
    }

    /// By when more has to come; nil while nothing is wanted.
    ///
    /// - Parameter limit: For each 64 KiB.
    func deadline(_ limit: TimeAmount) -> NIODeadline? { wantedSince.map { $0 + (limit - waited) } }
}

/// How many requests a connection has sent in this second.
struct RequestRate {
    private var second: UInt64 = 0
    private var requestCount = 0

    /// Counts a request. Returns whether it is within the rate.
    mutating func count(at now: NIODeadline, limit: Int) -> Bool {
        count(inSecond: now.uptimeNanoseconds / 1_000_000_000, limit: limit)
    }

    /// Counts a request in a second of any clock. Returns whether it is within the rate.
    mutating func count(inSecond now: UInt64, limit: Int) -> Bool {
        if now != second { (second, requestCount) = (now, 0) }
        requestCount += 1
        return requestCount <= limit
    }
}
