import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// Decides which network rule applies to a request. Thread-safe.
package final class NetworkRuling: Sendable {
    private struct State {
        var common: CommonRules
        var isDevelopment: Bool
    }

    private let state: Mutex<State>
    private let lastResort: LastResort.Handler?
    /// Whether the link is metered, now.
    let link: NetworkLink

    /// - Parameters:
    ///   - common: The operator's rules, which come before those of the manifests.
    ///   - conditions: When which rules apply.
    ///   - link: Whether the link is metered, in place of what `conditions` say.
    ///   - lastResort: Decides about requests that no rule applies to; nil for none.
    package init(
        _ common: CommonRules = CommonRules(),
        _ conditions: RuleConditions = RuleConditions(),
        link: NetworkLink? = nil,
        lastResort: LastResort.Handler? = nil
    ) {
        self.lastResort = lastResort
        state = Mutex(State(common: common, isDevelopment: conditions.isDevelopment))
        self.link = link ?? NetworkLink(isMetered: conditions.isMetered)
    }

    /// The operator's or the app's rules. Requests that begin later go by a change.
    package var common: CommonRules {
        get { state.withLock(\.common) }
        set { state.withLock { $0.common = newValue } }
    }

    /// Whether rules with `mock` apply. Requests that begin later go by a change.
    package var isDevelopment: Bool {
        get { state.withLock(\.isDevelopment) }
        set { state.withLock { $0.isDevelopment = newValue } }
    }

    /// Nil when there is no rule at all, or none that could apply.
    func decision(for request: HTTPRequest, _ match: ResourceMatch) -> RuleDecision? {
        let state = state.withLock { $0 }
        let rules = RuleSet(match.release.manifest, common: state.common)
        guard !rules.isEmpty else { return nil }
        let conditions = RuleConditions(isMetered: link.isMetered, isDevelopment: state.isDevelopment)
        let decision = rules.decision(for: RuleRequest(request, match), conditions)
        return decision.applied == nil && !decision.dependsOnMediaType ? nil : decision
    }

    /// What the app's own code decides about a request that no rule applies to.
    ///
    /// - Parameter url: Its URL on the network.
    func lastResort(for request: HTTPRequest, url: String) -> LastResort? {
        guard let lastResort, let target = OriginTarget(url) else { return nil }
        var request = request
        (request.scheme, request.authority, request.path) = (target.scheme, target.authority, target.path)
        return lastResort(request)
    }
}

/// The circumstances in which network rules apply. A value type; safe to share between threads.
package struct RuleConditions: Hashable, Sendable {
    /// Whether the link is metered.
    package var isMetered: Bool
    /// Whether mocks are used.
    package var isDevelopment: Bool

    /// Makes one; by default neither.
    package init(isMetered: Bool = false, isDevelopment: Bool = false) {
        self.isMetered = isMetered
        self.isDevelopment = isDevelopment
    }
}

/// What an app or an operator says of the device's connection to the network, and may change at any time.
///
/// A metered link makes the network rules with `onlyIfMetered` apply. While there is no link, no origin is asked: stored
/// responses take the place of the network's at once, also stale ones where that is allowed. It is never more than a hint:
/// without it the same happens once an origin hasn't responded.
///
/// Thread-safe; several responders may have the same one.
public final class NetworkLink: Sendable {
    private let metered: Atomic<Bool>
    private let up: Atomic<Bool>
    private let connections = Atomic<Int>(0)

    /// - Parameters:
    ///   - isMetered: Whether the link is metered at the beginning.
    ///   - isUp: Whether there is a link at the beginning.
    public init(isMetered: Bool = false, isUp: Bool = true) {
        metered = Atomic(isMetered)
        up = Atomic(isUp)
    }

    /// Whether the link is metered. Requests that begin later see a change.
    public var isMetered: Bool {
        get { metered.load(ordering: .acquiring) }
        set { metered.store(newValue, ordering: .releasing) }
    }

    /// Whether there is a link. Requests that begin later see a change. When it comes back, every origin counts as one that
    /// responds until it doesn't.
    public var isUp: Bool {
        get { up.load(ordering: .acquiring) }
        set {
            let wasUp = up.exchange(newValue, ordering: .acquiringAndReleasing)
            if newValue, !wasUp { connections.add(1, ordering: .releasing) }
        }
    }

    /// How often the link has come back.
    var connectionCount: Int { connections.load(ordering: .acquiring) }
}

/// What an app's own code decides about a request for the network that no rule applies to.
///
/// A value type; safe to share between threads.
public enum LastResort: Sendable {
    /// Sends this request in its place: other fields, or another URL, which may be any http or https URL and is sent the
    /// fields that are given, credentials included. The method and the content remain those of the app's request. What the
    /// origin responds is cached under the URL that is asked.
    case send(HTTPRequest)
    /// Responds without asking the cache or the network.
    case respond(Response)

    /// Decides about a request, which has `scheme`, `authority` and `path`; nil leaves it alone. Called for each request
    /// that neither a bundled file nor a rule concerns, before the cache is asked, on any thread, and by several at once;
    /// it must not wait.
    public typealias Handler = @Sendable (HTTPRequest) -> LastResort?
}
