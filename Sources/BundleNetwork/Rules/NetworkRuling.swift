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

/// What an app's own code decides about a request for the network that no rule applies to.
///
/// A value type; safe to share between threads.
public enum LastResort: Sendable {
    /// Sends this request in its place: other fields, or another URL, which may be any http or https URL and is sent the
    /// fields that are given, credentials included. The method and the content remain those of the app's request. What the
    /// origin responds is cached under the URL that is asked.
    case send(HTTPRequest)
    /// Responds without asking the cache or the network. `Cache-Status` names the app (`detail="app"`) unless the response has one.
    case respond(Response)

    /// Decides about a request, which has `scheme`, `authority` and `path`; nil leaves it alone. Called for each request
    /// that neither a bundled file nor a rule concerns, before the cache is asked, on any thread, and by several at once;
    /// it must not wait.
    public typealias Handler = @Sendable (HTTPRequest) -> LastResort?
}
