import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Explains how ``LayeredResponder`` would respond, without sending anything and without changing the cache.
///
/// Thread-safe.
package struct ResolutionTracer: Sendable {
    private let snapshot: StoreSnapshot
    private let resolver: ResourceResolver
    private let cache: ResponseCache
    private let isOffline: Bool
    private let rules: CommonRules
    private let conditions: RuleConditions
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - store: The bundles and the cache, as they are now.
    ///   - addresses: The endpoint's addresses.
    ///   - policy: The endpoint's caching rules.
    ///   - isOffline: Whether the network is off.
    ///   - rules: The network rules that hold for all bundles.
    ///   - conditions: When which rules apply.
    ///   - now: The clock.
    package init(
        _ store: BundleStore,
        addresses: BundleAddresses = BundleAddresses(),
        policy: CachePolicy,
        isOffline: Bool = false,
        rules: CommonRules = CommonRules(),
        conditions: RuleConditions = RuleConditions(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        snapshot = store.snapshot
        resolver = ResourceResolver(snapshot, addresses: addresses)
        cache = ResponseCache(store: store, policy: policy, maximumByteCount: 0)
        self.isOffline = isOffline
        self.rules = rules
        self.conditions = conditions
        self.now = now
    }

    /// Explains the response to a GET, or returns nil when no bundle covers the target.
    ///
    /// - Parameters:
    ///   - target: What the request asks for.
    ///   - isNavigation: Whether a page is being opened.
    package func trace(_ target: RequestTarget, isNavigation: Bool) -> ResolutionTrace? {
        guard let match = resolver.match(target, isNavigation: isNavigation) else { return nil }
        let rule = decision(match, isNavigation: isNavigation)
        var steps: [ResolutionTrace.Step] = []
        var response: ResolutionTrace.Layer?
        for layer in ResolutionTrace.Layer.allCases {
            guard response == nil else {
                let reason = Self.notAsked(layer, response)
                steps.append(ResolutionTrace.Step(layer: layer, verdict: .notAsked, reason: reason, remedy: nil))
                continue
            }
            let (verdict, reason) = finding(of: layer, match, isNavigation: isNavigation, rule)
            if verdict != .passes { response = layer }
            steps.append(
                ResolutionTrace.Step(
                    layer: layer,
                    verdict: verdict,
                    reason: Printable.line(reason),
                    remedy: layer == .active ? Self.remedy(of: match) : nil
                )
            )
        }
        let isBundled = response.map { [.active, .retained, .route].contains($0) } ?? false
        return ResolutionTrace(match: match, steps: steps, rules: isBundled ? [] : rule.summary)
    }

    private func decision(_ match: ResourceMatch, isNavigation: Bool) -> RuleDecision {
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        if isNavigation { request.headerFields[.secFetchDest] = "document" }
        return RuleSet(match.release.manifest, common: rules).decision(for: RuleRequest(request, match), conditions)
    }

    typealias Finding = (verdict: ResolutionTrace.Verdict, reason: String)

    private static func notAsked(_ layer: ResolutionTrace.Layer, _ response: ResolutionTrace.Layer?) -> String {
        let isLastResort = response == .network && layer == .offlinePage
        return isLastResort ? "only when the network doesn't respond" : "an earlier layer responds"
    }

    private func finding(
        of layer: ResolutionTrace.Layer,
        _ match: ResourceMatch,
        isNavigation: Bool,
        _ rule: RuleDecision
    ) -> Finding {
        switch layer {
        case .active: active(match)
        case .retained: retained(match, isNavigation: isNavigation)
        case .route: route(match, isNavigation: isNavigation)
        case .cache: stored(match, isNavigation: isNavigation, rule)
        case .network: network(match, rule)
        case .offlinePage: offlinePage(match, isNavigation: isNavigation)
        }
    }

    private func active(_ match: ResourceMatch) -> Finding {
        let degradation = snapshot.bundles[match.release.name]?.degradation.map { "\($0); " } ?? ""
        let release = degradation + match.release.label
        return switch match.outcome {
        case .found(let resource) where resource.layer == .active && resource.rule != .fallback:
            (.responds, "\(release) has \(resource.asset.path), by rule \(resource.rule.rawValue)")
        case .redirect(let location):
            (.responds, "\(release) has a folder of this name, so it redirects to \(location)")
        case .damaged(let asset):
            (.passes, "\(DamagedFile(asset, of: match.release).label) is damaged")
        case .found where match.isWithdrawn, .missing where match.isWithdrawn:
            (.passes, "\(release) \(withdrawal(of: match.release))")
        case .found, .missing:
            (.passes, "\(release) has no \(match.path?.string ?? "page for its root")")
        }
    }

    private func withdrawal(of release: Release) -> String {
        let withdrawal = snapshot.bundles[release.name]?.withdrawal(of: release.version)
        let critical = withdrawal?.successor
        return critical.map { "isn't used any more: \($0), which takes its place, is critical" }
            ?? "was revoked by its publisher, and isn't used any more"
    }

    private static func remedy(of match: ResourceMatch) -> Remedy? {
        if case .damaged = match.outcome { .repair(.content) } else { nil }
    }

    private func retained(_ match: ResourceMatch, isNavigation: Bool) -> Finding {
        if case .found(let resource) = match.outcome, resource.layer == .retained {
            return (.responds, "\(resource.asset.release.label) has \(resource.asset.path)")
        }
        if case .damaged = match.outcome { return (.passes, "a damaged file is never replaced by other content") }
        let retained = snapshot.bundles[match.release.name]?.retained.filter { $0 !== match.release } ?? []
        let usable = retained.filter { snapshot.bundles[$0.name]?.withdrawal(of: $0.version) == nil }
        guard let latest = usable.first else {
            return (.passes, retained.first.map { "\($0.label) \(withdrawal(of: $0))" } ?? "no earlier version is kept")
        }
        if isNavigation { return (.passes, "earlier versions only serve the pages that are open on them") }
        let others = usable.count > 1 ? " and \(usable.count - 1) more" : ""
        return (.passes, "\(latest.label)\(others): no such file")
    }

    private func route(_ match: ResourceMatch, isNavigation: Bool) -> Finding {
        if case .found(let resource) = match.outcome, resource.rule == .fallback {
            return (.responds, "the fallback \(resource.asset.path) stands in for the route")
        }
        if case .damaged = match.outcome { return (.passes, "the path names a file") }
        guard let fallback = match.release.manifest.fallback else { return (.passes, "the manifest has no fallback") }
        guard isNavigation else { return (.passes, "the fallback is for navigations only") }
        guard let path = match.path, fallback.covers(path) else {
            return (.passes, "the fallback covers \(fallback.routes.map(\.string).joined(separator: ", ")) only")
        }
        return (.passes, "the path names a file that isn't a page")
    }

    private func network(_ match: ResourceMatch, _ rule: RuleDecision) -> Finding {
        guard !match.isAmbiguous else { return (.passes, "a server could read a part of the path as “.” or “..”") }
        guard let url = match.originURL else { return (.passes, "no origin of the bundle covers the path") }
        guard !rule.usesCacheAlone, !rule.asksNobody else { return (.passes, Self.ruledOut) }
        return isOffline ? (.passes, "it is switched off") : (.wouldAsk, "a request for \(url)")
    }

    private func offlinePage(_ match: ResourceMatch, isNavigation: Bool) -> Finding {
        guard match.originURL != nil else { return (.passes, "nothing was asked, so the file is simply not there") }
        guard isNavigation else { return (.passes, "it is for navigations only") }
        guard let page = match.offlinePage else { return (.passes, "the manifest has no offline page") }
        return (.responds, "\(page.asset.path) says that the page isn't available")
    }
}

extension ResolutionTracer {
    private static let ruledOut = "a network rule lets no origin be asked"

    private func stored(_ match: ResourceMatch, isNavigation: Bool, _ rule: RuleDecision) -> Finding {
        guard let url = match.originURL, let target = OriginTarget(url) else {
            return (.passes, "no origin of the bundle covers the path, so nothing is kept for it")
        }
        guard !rule.asksNobody else { return (.passes, "a network rule lets nothing stored respond") }
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        let originRequest = OriginRequest.make(from: request, target: target, pseudonym: OriginFallback.pseudonym)
        let key = CacheKey(target, ignoring: match.release.manifest.ignoredParameters)
        let variant = cache.lookUpWaiting(originRequest, key: key.text, under: match.release).variant
        if isOffline, let copies = rule.offlineCopies {
            let copyKey = OfflineCopies.key(of: key.text, for: nil)
            let copy = cache.lookUpWaiting(originRequest, key: copyKey, under: match.release).variant
            if [variant, copy].contains(where: { $0.map { copies.includes($0, for: nil, now: now()) } ?? false }) {
                return (.responds, "the last response to \(url), which a network rule keeps for this")
            }
        }
        guard let variant else { return (.passes, "nothing is kept for \(url)") }
        switch cache.policy.decision(for: request, stored: variant.response, now: now()) {
        case .serve(let timeToLive):
            return (.responds, "a response to \(url), fresh for \(Self.seconds(timeToLive))")
        case .serveWhileRevalidating(let timeToLive):
            return (.responds, "a response to \(url), stale for \(Self.seconds(-timeToLive)), renewed afterwards")
        case .revalidate(let use):
            let stale = "a response to \(url), stale for \(Self.seconds(-timeToLive(of: variant)))"
            guard isOffline || rule.usesCacheAlone, use != .never else {
                return (.passes, "\(stale); the network is asked first")
            }
            if isNavigation, match.offlinePage != nil, variant.response.isError {
                return (.passes, "\(stale), is an error; the offline page says more")
            }
            return (.responds, "\(stale); \(rule.usesCacheAlone ? Self.ruledOut : "the network is switched off")")
        case .fetch, .refuse:
            return (.passes, "nothing is kept for \(url) that fits the request")
        }
    }

    private func timeToLive(of variant: CachedVariant) -> TimeInterval {
        cache.policy.freshness(of: variant.response, now: now()).timeToLive
    }

    private static func seconds(_ interval: TimeInterval) -> String {
        "\(Int(exactly: max(0, interval).rounded(.down)) ?? 0) s"
    }
}

extension Release {
    fileprivate var label: String { "\(name)@\(version)" }
}
