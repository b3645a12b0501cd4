import BundleServing
import BundleStore
import BundleUsage
import Foundation
import HTTPTypes

/// Responds to requests from the layers in order: active release, retained releases, fresh cache, network, stale cache,
/// the manifest's offline page, 504. `Cache-Status` (RFC 9211) says which.
///
/// Every surface uses this one type. Thread-safe.
public struct LayeredResponder: Sendable {
    /// The longest body from the network that is kept in the cache, in bytes, unless set otherwise: 64 MiB.
    package static let defaultMaximumCachedByteCount: Int64 = 64 << 20

    let resolver: LiveResolver
    let fallback: OriginFallback
    private let variants: (any VariantProvider)?
    let rules: NetworkRuling
    /// Nil when use isn't counted.
    let usage: UsageRecorder?
    /// Whether a page gets a version cookie, so that its parts come from the same version.
    package let setsVersionCookies: Bool
    /// Whether absolute URLs that no bundle covers get the cache, the network and the app's rules too.
    let coversAll: Bool
    /// The scheme of the endpoint; nil inside an app, which has no address that origins could be told.
    let scheme: String?

    /// - Parameters:
    ///   - resolver: What the bundles hold.
    ///   - store: Where responses from the network are kept.
    ///   - transport: The network, or nil to stay offline.
    ///   - policy: The rules of caching; shared when there are several users.
    ///   - maximumCachedByteCount: The longest body that is kept, in bytes.
    ///   - cacheMemoryByteCount: The most bytes of stored responses that are held in memory.
    ///   - variants: The coded forms of bundled files; nil to send them as they are. Responses from the network are
    ///     sent as received.
    ///   - setsVersionCookies: Whether a page gets a version cookie, so that its parts come from the same version.
    ///   - rules: The network rules.
    ///   - limits: The limits of fetches.
    ///   - clock: The clock of time limits.
    ///   - usage: Counts what the network is needed for; nil to count nothing.
    ///   - isGateway: Whether others send the requests: then it names itself to origins (RFC 9110 §7.6.3). An app is the
    ///     client itself; some servers compress nothing for gateways.
    ///   - coversAll: Whether absolute URLs that no bundle covers get the cache, the network and the app's rules too.
    ///   - scheme: The scheme of the endpoint; nil inside an app, which has no address that origins could be told.
    ///   - now: The clock of the cache.
    package init(
        _ resolver: LiveResolver,
        store: BundleStore,
        transport: (any OriginTransport)?,
        policy: CachePolicy,
        maximumCachedByteCount: Int64 = LayeredResponder.defaultMaximumCachedByteCount,
        cacheMemoryByteCount: Int = 64 << 20,
        variants: (any VariantProvider)? = nil,
        setsVersionCookies: Bool = false,
        rules: NetworkRuling = NetworkRuling(),
        limits: FetchLimits = FetchLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        usage: UsageRecorder? = nil,
        isGateway: Bool = true,
        coversAll: Bool = false,
        scheme: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.usage = usage
        self.coversAll = coversAll
        self.scheme = scheme
        self.resolver = resolver
        self.variants = variants
        self.setsVersionCookies = setsVersionCookies
        self.rules = rules
        let cache = ResponseCache(
            store: store,
            policy: policy,
            maximumByteCount: maximumCachedByteCount,
            memory: cacheMemoryByteCount
        )
        fallback = OriginFallback(
            cache: cache,
            transport: transport,
            limits: limits,
            clock: clock,
            usage: usage,
            link: rules.link,
            isGateway: isGateway,
            now: now
        )
    }

    /// Increases when responses from the bundles may differ from earlier ones. A response begun after reading it is at
    /// least as new as it.
    package var generation: Int64 { resolver.generation &+ (variants?.generation ?? 0) }

    /// Whether a bundle, or the app's cache, is responsible for a URL.
    package func covers(_ target: RequestTarget) -> Bool {
        coversAll && target.scheme != nil || resolver.current.match(target, isNavigation: false) != nil
    }

    /// Responds to a request.
    ///
    /// - Parameter request: With the target as it was sent in `path`, and the `Host` in `authority`; or with an
    ///   absolute URL in `scheme`, `authority` and `path`.
    public func respond(to request: HTTPRequest) async -> ServedResponse {
        let response = await begin(request, mayTakeLong: true).response()
        return usage?.counting(response) ?? response
    }

    /// Like ``respond(to:)``, but without waiting if the bundles have the response: for an event loop, which must not
    /// block.
    ///
    /// - Parameters:
    ///   - request: As in ``respond(to:)``.
    ///   - hasAllFields: False if it has only the deciding fields; see
    ///     ``/HTTPCore/RequestResponder/begin(deciding:on:)``.
    ///   - mayCode: Whether bundled files may be sent in a coding that the client accepts.
    package func begin(_ request: HTTPRequest, hasAllFields: Bool = true, mayCode: Bool = true) -> ResponseStart {
        begin(request, mayTakeLong: false, hasAllFields: hasAllFields, mayCode: mayCode)
    }

    private func begin(
        _ request: HTTPRequest,
        mayTakeLong: Bool,
        hasAllFields: Bool = true,
        mayCode: Bool = true
    ) -> ResponseStart {
        if let refusal = Self.refusal(of: request) { return .complete(refusal, ResponseSource(.server)) }
        // The request concerns the server as a whole (RFC 9110 §9.3.7).
        if request.method == .options, request.path == "*" { return .complete(Self.options, ResponseSource(.server)) }
        let kind = RequestTraits(
            isNavigation: NavigationRequest.isNavigation(request),
            isTopLevel: NavigationRequest.isTopLevel(request),
            cookies: setsVersionCookies ? VersionCookies(request.headerFields[.cookie]) : .none,
            mayTakeLong: mayTakeLong,
            hasAllFields: hasAllFields,
            mayCode: mayCode
        )
        let resolver = resolver.current
        guard let target = RequestTarget(request) else { return Self.uncovered(request, .unavailable) }
        guard mayTakeLong || resolver.matchesQuickly(target, isNavigation: kind.isNavigation) else {
            return .waiting { await begin(request, mayTakeLong: true, mayCode: mayCode).response(to: $0) }
        }
        let pages = kind.isTopLevel ? .none : kind.cookies
        let found = resolver.match(target, isNavigation: kind.isNavigation, for: pages)
        guard let match = found ?? (coversAll ? ResourceMatch(unbundled: target, by: resolver) : nil) else {
            return Self.uncovered(request, resolver.absence(of: target))
        }
        if let response = Self.isolating(request, match) {
            return .complete(response, ResponseSource(.server, match.release), .target)
        }
        if let cookie = match.publisherCookie {
            return Self.changingPublisher(cookie, request, match, now: fallback.now()) { begin($0, kind, match) }
        }
        let beginning = begin(request, kind, match)
        guard match.isMounted, NavigationRequest.isForServiceWorker(request) else { return beginning }
        return Self.retiringMissing(request, beginning)
    }

    /// What a request's fields say about its kind.
    struct RequestTraits {
        let isNavigation: Bool
        let isTopLevel: Bool
        let cookies: VersionCookies
        /// Whether the caller can wait for milliseconds.
        var mayTakeLong: Bool
        /// Whether the request has more than the deciding fields.
        let hasAllFields: Bool
        /// Whether bundled files may be sent in a coding.
        let mayCode: Bool

        var takingLong: RequestTraits {
            var kind = self
            kind.mayTakeLong = true
            return kind
        }
    }

    /// The response to a method that can't be passed on. TRACE would reveal to a page what is added to its requests
    /// (RFC 9110 §9.3.8), and CONNECT for anything but a WebSocket would make this server a proxy for anything.
    private static func refusal(of request: HTTPRequest) -> Response? {
        switch request.method {
        case .trace: methodNotAllowed
        case .connect where request.extendedConnectProtocol == nil: methodNotAllowed
        case .connect where !request.asksForWebSocket: protocolNotImplemented
        default: nil
        }
    }

    /// Responds to a request that a bundle covers.
    private func begin(_ request: HTTPRequest, _ kind: RequestTraits, _ match: ResourceMatch) -> ResponseStart {
        // Bundled files are only read.
        guard [.get, .head, .options].contains(request.method), !request.isWebSocketHandshake else {
            return beginPassing(request, match)
        }
        switch match.outcome {
        case .found(let resource):
            guard kind.mayTakeLong || resource.asset.hasReadyHeaderFields else {
                return .waiting { await begin(request, kind.takingLong, match).response(to: $0) }
            }
            let beginning = begin(request, with: resource, match, pageFields(for: resource, match, kind), kind)
            guard !resource.hasFaulted else {
                let file = DamagedFile(resource.asset, of: match.release)
                return beginMissing(request, match, damage: file, kind)
            }
            return beginning
        case .redirect where request.method == .options:
            return .complete(Self.options, ResponseSource(.server, match.release))
        case .redirect(let location):
            return .complete(
                Self.redirect(to: match.reference(to: location), request),
                ResponseSource(.active, match.release),
                .target
            )
        case .damaged(let asset):
            let file = DamagedFile(asset, of: match.release)
            return beginMissing(request, match, damage: file, kind)
        case .missing:
            return beginMissing(request, match, damage: nil, kind)
        }
    }

    /// The response with a bundled file, as far as possible without waiting.
    ///
    /// - Parameter preferences: The codings to choose from; nil to send it as it is.
    private func respond(
        to request: HTTPRequest,
        with resource: Resource,
        of match: ResourceMatch,
        _ preferences: CodingPreferences?
    ) -> Response {
        let representation = resource.representation(variants: variants, for: preferences)
        return Self.varied(Responder.respond(to: request, with: representation), match)
    }

    /// Adds `Vary` where another kind of request gets another response, so that no browser shows this one as a page.
    static func varied(_ response: Response, _ match: ResourceMatch) -> Response {
        guard !match.isForPages else { return response }
        var response = response
        response.head.headerFields.vary(by: isolatingFields)
        return response
    }

    private func begin(
        _ request: HTTPRequest,
        with resource: Resource,
        _ match: ResourceMatch,
        _ pageFields: HTTPFields?,
        _ kind: RequestTraits
    ) -> ResponseStart {
        let source = ResponseSource(ResponseSource.Layer(resource.layer), resource.asset.release)
        let preferences = kind.mayCode ? CodingPreferences(request.headerFields) : nil
        guard request.method == .get, preferences?.dictionary != nil,
            let wait = preferences.flatMap({ variants?.pendingDelta(of: resource.asset, for: $0) })
        else {
            let response = respond(to: request, with: resource, of: match, preferences)
            let coded = source.coded(response, of: resource)
            return .complete(Self.adding(pageFields, to: response), coded, .path)
        }
        return .waiting { _ in
            await wait()
            let response = respond(to: request, with: resource, of: match, preferences)
            return .complete(Self.adding(pageFields, to: response), source.coded(response, of: resource))
        }
    }

    /// - Parameter damage: The bundle's file that can no longer be read; nil when it has none.
    private func beginMissing(
        _ request: HTTPRequest,
        _ match: ResourceMatch,
        damage: DamagedFile?,
        _ kind: RequestTraits
    ) -> ResponseStart {
        var request = asFromOrigin(Self.withoutForeignCookies(request, match), match)
        let miss = ResponseSource(.miss, match.release)
        guard !match.isAmbiguous else { return .complete(Self.ambiguous(request), miss, .target) }
        let rule = rules.decision(for: request, match)
        if let rule, let start = begin(request, by: rule, match) { return start }
        guard var url = Self.url(match, rule) else {
            if request.method == .options { return .complete(Self.options, ResponseSource(.server, match.release)) }
            if let damage { return .complete(Self.damaged(damage, nil, nil, request), miss) }
            if match.isWithdrawn { return .complete(Self.withdrawn(match, request, kind.isNavigation), miss) }
            return .complete(Self.notFound("The bundle has no such file, and no origin to ask.", request), miss, .path)
        }
        if rule == nil, let start = beginLastResort(&request, &url, match) { return start }
        guard !isLoop(request) else { return .complete(Self.loopDetected(url, request), miss) }
        if request.method == .options || request.asksForWebSocket {
            return beginPassing(request, url, match, rule)
        }
        let address = address(of: match, to: url)
        let fetch = fallback.fetch(for: request, url: url, under: match.release, rule, at: address)
        if rule == nil, let fetch,
            let remembered = fallback.remembered(request, fetch, hasAllFields: kind.hasAllFields)
        {
            let response = Self.confined(Responder.respond(to: request, with: remembered.representation), match, url)
            return .complete(response, ResponseSource(.cache, match.release), remembered.reuse)
        }
        let offlinePage = kind.isNavigation ? match.offlinePage : nil
        let missing = MissingResource(
            request,
            url,
            match,
            rule,
            at: address,
            damage: damage,
            offlinePage: offlinePage
        )
        return .waiting { client in await respond(to: missing, fetch, client) }
    }

    /// Passes a request on that only an origin can respond to.
    private func beginPassing(_ request: HTTPRequest, _ match: ResourceMatch) -> ResponseStart {
        var request = asFromOrigin(Self.withoutForeignCookies(request, match), match)
        let miss = ResponseSource(.miss, match.release)
        guard !match.isAmbiguous else { return .complete(Self.ambiguous(request), miss) }
        let rule = rules.decision(for: request, match)
        if let rule, let start = begin(request, by: rule, match) { return start }
        guard var url = Self.url(match, rule) else {
            return .complete(Self.methodNotAllowed, ResponseSource(.server, match.release))
        }
        if rule == nil, let start = beginLastResort(&request, &url, match) { return start }
        guard !isLoop(request) else { return .complete(Self.loopDetected(url, request), miss) }
        return beginPassing(request, url, match, rule)
    }

    private func beginPassing(
        _ request: HTTPRequest,
        _ url: String,
        _ match: ResourceMatch,
        _ rule: RuleDecision?
    ) -> ResponseStart {
        let missing = MissingResource(request, url, match, rule, at: address(of: match, to: url))
        return .waiting { client in
            let elapsed = fallback.clock.stopwatch()
            let result = await fallback.pass(missing, from: client)
            return ended(result, missing, after: elapsed())
        }
    }

    /// A request without the cookies that other bundles' pages or this server have set.
    private static func withoutForeignCookies(_ request: HTTPRequest, _ match: ResourceMatch) -> HTTPRequest {
        var request = request
        request.headerFields = VersionCookies.removed(from: request.headerFields)
        if match.sharesHost { request.headerFields[.cookie] = nil }
        return request
    }

    private func respond(
        to missing: MissingResource,
        _ fetch: Fetch?,
        _ client: ClientExchange
    ) async -> ServedResponse {
        let elapsed = fallback.clock.stopwatch()
        let result =
            if let fetch {
                await fallback.respond(
                    to: missing.request,
                    fetch.from(missing.confined(client)),
                    hasOfflinePage: missing.offlinePage != nil,
                    missing.rule
                )
            } else {
                OriginFallback.Result.nothing(.invalidURL)
            }
        return ended(result, missing, after: elapsed())
    }

    /// Whether the request has already passed through this server: a bundle's origin may be mapped to this server's
    /// address.
    private func isLoop(_ request: HTTPRequest) -> Bool {
        guard fallback.pseudonym != nil else { return false }
        return request.headerFields.listElements(of: .via).contains { element in
            // The protocol, the recipient, and optionally a comment (RFC 9110 §7.6.3).
            element.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.map(String.init)
                == OriginFallback.pseudonym
        }
    }
}

extension ResponseSource.Layer {
    fileprivate init(_ layer: Resource.Layer) {
        self =
            switch layer {
            case .active: .active
            case .retained: .retained
            }
    }
}

extension RequestTarget {
    /// The target of a request, which is an absolute URL or only a path.
    fileprivate init?(_ request: HTTPRequest) {
        guard let path = request.path else { return nil }
        if let scheme = request.scheme, let authority = request.authority {
            self.init(url: "\(scheme)://\(authority)\(path)")
        } else {
            self.init(path, host: request.authority)
        }
    }
}
