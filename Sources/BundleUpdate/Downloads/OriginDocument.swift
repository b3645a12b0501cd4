import BundleInstall
import BundleStore
import Foundation
import HTTPCore
import HTTPTypes

/// Fetches from the publisher's server, following redirects, or from an operator's folder. Copies share the highest rate, and the permits. Thread-safe.
struct OriginDocument: Sendable {
    /// One or two are usual; the limit of 20 in browsers (Fetch) is generous.
    private static let maximumRedirects = 5

    private let transport: any OriginTransport
    private let userAgent: String
    private var credentials: FeedCredentials
    private var limits: TransferLimits
    private let permits: UpdatePermits
    private let limiter: RateLimiter?
    private let clock: any Clock<Duration>
    /// Reads what isn't on a web server; nil to refuse that.
    private var place: (any PlaceReader)?
    /// The site's cache; nil for none.
    private let cache: SiteCacheUse?
    /// Whether it is the cache that is asked.
    private var asksCache = false

    /// - Parameters:
    ///   - transport: The network.
    ///   - userAgent: The User-Agent of the requests (RFC 9110 §10.1.5).
    ///   - credentials: What hosts and origins want to see.
    ///   - limits: How slow transfers may be, and how fast.
    ///   - permits: How many there are at once.
    ///   - cache: A cache on the site's network; nil for none.
    ///   - clock: Measures them.
    init(
        transport: any OriginTransport,
        userAgent: String = Updater.Configuration.defaultUserAgent,
        credentials: FeedCredentials = .none,
        limits: TransferLimits = TransferLimits(),
        permits: UpdatePermits = UpdatePermits(),
        cache: SiteCache? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        self.userAgent = userAgent
        self.credentials = credentials
        self.limits = limits
        self.permits = permits
        self.cache = cache.map { SiteCacheUse($0, clock: clock) }
        limiter = limits.maximumRate.map { RateLimiter(rate: $0, clock: clock) }
        self.clock = clock
    }

    /// The same, which reads the place of a feed too, where that isn't on a web server.
    ///
    /// - Parameters:
    ///   - feed: The URL of a feed that an operator has named.
    ///   - places: How the place is reached; nil to refuse it.
    /// - Throws: As ``OperatorPlaces/reader(of:over:userAgent:)``.
    func reading(placeOf feed: URL, by places: OperatorPlaces?) throws -> OriginDocument {
        var copy = self
        copy.place = try places?.reader(of: feed, over: transport, userAgent: userAgent)
        return copy
    }

    /// The same that asks the site's cache for a file that has a digest, and where that has it. Nil where the origin has to be asked.
    func fromCache(_ url: URL) -> (document: OriginDocument, url: URL)? {
        guard !asksCache, let cache, cache.isAsked, place?.reads(url) != true, let cached = cache.cache.url(of: url)
        else {
            return nil
        }
        var copy = self
        copy.asksCache = true
        copy.place = nil
        copy.credentials = .none
        copy.limits = limits.ofCache
        return (copy, cached)
    }

    /// Asks the site's cache no more for a while: it doesn't respond, or what it sends is wrong. Returns whether it was asked until now.
    @discardableResult
    func leaveCache() -> Bool { cache?.leave() ?? false }

    /// Runs `body`, which fetches a file in one transfer or several, when its host may be asked, and ends it when it takes
    /// longer than one transfer may.
    ///
    /// - Throws: What `body` throws; ``/BundleModel/BundleError`` with code `networkUnavailable` after the deadline.
    func fetching<Success: Sendable>(
        _ url: URL,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        try await permits.fetch(url) { try await withinDeadline(of: url, body) }
    }

    private func withinDeadline<Success: Sendable>(
        of url: URL,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        try await withThrowingTaskGroup(of: Success.self) { group in
            group.addTask { try await body() }
            // The first of the two to end decides.
            group.addTask {
                try await clock.sleep(for: limits.deadline)
                throw TransferPace.Slowness.deadline(limits.deadline).error(at: url)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    /// Sends a GET for `url`, follows redirects, and lets `body` read the response. Ends both when that is too slow, and
    /// keeps to the highest rate.
    ///
    /// - Parameter body: Gets the response, and the URL that served it.
    /// - Throws: As ``response(for:fields:)`` and `body`; ``/BundleModel/BundleError`` with code `networkUnavailable` when
    ///   it is too slow.
    func transfer<Success: Sendable>(
        _ url: URL,
        fields: HTTPFields = [:],
        _ body: @escaping @Sendable (OriginResponse, URL) async throws -> Success
    ) async throws -> Success {
        try await transfer(url, fields, limits, limiter, body)
    }

    private func transfer<Success: Sendable>(
        _ url: URL,
        _ fields: HTTPFields,
        _ limits: TransferLimits,
        _ limiter: RateLimiter?,
        _ body: @escaping @Sendable (OriginResponse, URL) async throws -> Success
    ) async throws -> Success {
        let meter = TransferMeter(limits, limiter: limiter, clock: clock)
        return try await leavingSlowCache {
            try await withThrowingTaskGroup(of: Success.self) { group in
                group.addTask {
                    let (response, url) = try await response(for: url, fields: fields)
                    return try await body(meter.measured(response), url)
                }
                // The first of the two to end decides.
                group.addTask { throw try await meter.slowness().error(at: url) }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        }
    }

    private func leavingSlowCache<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let error as BundleError where asksCache && error.cause is TransferPace.Slowness {
            leaveCache()
            throw error
        }
    }

    /// Sends a GET for `url` and follows redirects; never from https to http.
    ///
    /// - Returns: The response, and the URL that served it.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when there is no response, or when it is a
    ///   redirect without a valid target.
    func response(for url: URL, fields: HTTPFields = [:]) async throws -> (response: OriginResponse, url: URL) {
        if let place, place.reads(url) { return (try await place.response(for: url, fields: fields), url) }
        var url = url
        for _ in 0...Self.maximumRedirects {
            guard let target = OriginTarget(url) else {
                throw BundleError(
                    .networkUnavailable,
                    "\(url.reported) isn't a URL that can be fetched; correct the feed"
                )
            }
            var request = request(for: target, fields)
            for field in credentials.fields(for: target) { request.headerFields[field.name] = field.value }
            // A cache has the file itself, or hasn't.
            if asksCache { return (try await cacheResponse(to: request), url) }
            let response = try await transport.send(request)
            guard response.head.status.kind == .redirection, response.head.status != .notModified else {
                return (response, url)
            }
            url = try Self.target(of: response.head, at: url)
        }
        throw BundleError(.networkUnavailable, "\(url.reported) was redirected over \(Self.maximumRedirects) times")
    }

    private func cacheResponse(to request: HTTPRequest) async throws -> OriginResponse {
        do {
            return try await transport.send(request)
        } catch let error as BundleError where error.code == .networkUnavailable {
            leaveCache()
            throw error
        }
    }

    /// The request for a file that another program sends, and follows its redirects.
    ///
    /// - Returns: Nil for a file in a folder, and where a credential is needed: another program may keep it, or send it elsewhere.
    func openRequest(for url: URL, fields: HTTPFields) -> HTTPRequest? {
        guard let target = OriginTarget(url), credentials.fields(for: target).isEmpty else { return nil }
        return request(for: target, fields)
    }

    private func request(for target: OriginTarget, _ fields: HTTPFields) -> HTTPRequest {
        let client = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil, headerFields: fields)
        var request = OriginRequest.make(from: client, target: target)
        // The updater's own request, not a client's: its range and its conditions are meant for the origin.
        for field in fields { request.headerFields[field.name] = field.value }
        request.headerFields[.userAgent] = userAgent
        return request
    }

    /// What a server says of a document.
    enum DocumentResponse: Sendable {
        /// The whole body of a 200, with the fields of the response.
        case content([UInt8], HTTPFields)
        /// The document hasn't changed: a 304 to a request with conditions.
        case unchanged
    }

    /// Asks for a document, in a content coding if the server has one, when its host may be asked.
    ///
    /// - Parameters:
    ///   - conditions: `If-None-Match` and `If-Modified-Since`, if any.
    ///   - limit: The longest body in bytes.
    /// - Returns: The response, and the URL that served it.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` for another status, with
    ///   ``UnexpectedResponse`` as its cause, or after a minute; `invalidFeed` for a longer body, or one that can't be decoded.
    func document(
        at url: URL,
        conditions: HTTPFields = [:],
        limit: Int
    ) async throws -> (response: DocumentResponse, url: URL) {
        try await permits.fetch(url) { try await receive(url, conditions, limit) }
    }

    private func receive(
        _ url: URL,
        _ conditions: HTTPFields,
        _ limit: Int
    ) async throws -> (response: DocumentResponse, url: URL) {
        var fields = conditions
        fields[.acceptEncoding] = ReceivedDocument.acceptedCodings
        return try await transfer(url, fields, .document, nil) { response, url in
            if response.head.status == .notModified, !conditions.isEmpty {
                // It has no content (RFC 9110 §15.4.5); read to its end, its connection is used again.
                for try await _ in response.body {}
                return (.unchanged, url)
            }
            let bytes = try await Self.read(response, at: url, limit: limit)
            let content = try ReceivedDocument.content(
                of: bytes,
                contentEncoding: response.head.headerFields[.contentEncoding],
                maximumByteCount: limit,
                named: url.reported
            )
            return (.content(content, response.head.headerFields), url)
        }
    }

    /// The whole body of a 200.
    ///
    /// - Parameter check: Called with the beginning of the body, at least ``/BundleInstall/Installer/recognitionByteCount`` bytes or the
    ///   whole; what it throws ends the transfer.
    /// - Throws: As ``document(at:conditions:limit:)``.
    func bytes(
        of url: URL,
        limit: Int,
        checking check: @escaping @Sendable ([UInt8], URL) throws -> Void = { _, _ in }
    ) async throws -> (bytes: [UInt8], url: URL) {
        try await transfer(url, [:], .document, nil) { response, url in
            (try await Self.read(response, at: url, limit: limit) { try check($0, url) }, url)
        }
    }

    private static func read(
        _ response: OriginResponse,
        at url: URL,
        limit: Int,
        checking check: ([UInt8]) throws -> Void = { _ in }
    ) async throws -> [UInt8] {
        guard response.head.status == .ok else {
            throw UnexpectedResponse(head: response.head).error(at: url, advice: "check the feed's URL")
        }
        var bytes: [UInt8] = []
        var isChecked = false
        for try await chunk in response.body {
            bytes += chunk
            if !isChecked, bytes.count >= Installer.recognitionByteCount {
                try check(bytes)
                isChecked = true
            }
            guard bytes.count <= limit else {
                throw BundleError(.invalidFeed, "\(url.reported) has over \(limit) bytes; is it a feed?")
            }
        }
        if !isChecked { try check(bytes) }
        return bytes
    }

    private static func target(of head: HTTPResponse, at url: URL) throws(BundleError) -> URL {
        guard let location = head.headerFields[.location],
            let target = URL(string: location, relativeTo: url)?.absoluteURL,
            let scheme = target.scheme?.lowercased(), ["http", "https"].contains(scheme),
            scheme == "https" || url.scheme?.lowercased() == "http"
        else {
            throw BundleError(
                .networkUnavailable,
                "\(url.reported) redirects to “\(URL.reported(head.headerFields[.location] ?? ""))”, which isn't followed"
            )
        }
        return target
    }
}

extension OriginTarget {
    /// What a feed's URL asks for; its user information isn't sent (RFC 9110 §4.2.4).
    fileprivate init?(_ url: URL) {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        components?.user = nil
        components?.password = nil
        guard let text = components?.string else { return nil }
        self.init(text)
    }
}

/// The cause of the error for a response that isn't what was asked for.
struct UnexpectedResponse: Error {
    /// Its status and fields.
    let head: HTTPResponse

    /// Whether the server wants to be asked less: then it isn't asked for anything else instead (RFC 6585 §4, RFC 9110
    /// §15.6.4, §10.2.3).
    var asksForPause: Bool { [429, 503].contains(head.status.code) || head.headerFields.contains(.retryAfter) }

    /// The error for it.
    ///
    /// - Parameter advice: What to do, unless the server says that.
    func error(at url: URL, advice: String) -> BundleError {
        let problem = "\(url.reported) responded with \(head.status.code)"
        // RFC 9110 §15.5.2.
        if head.status == .unauthorized {
            return BundleError(.networkUnavailable, problem, .giveFeedCredential, cause: self)
        }
        let advice = asksForPause ? "try again later" : advice
        return BundleError(.networkUnavailable, "\(problem); \(advice)", cause: self)
    }
}

extension BundleError {
    /// Whether a server has caused it that wants to be asked less.
    var asksForPause: Bool { (cause as? UnexpectedResponse)?.asksForPause ?? false }
}
