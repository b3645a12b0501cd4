import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// Decides which network rule applies to a request. Thread-safe.
package final class NetworkRuling: Sendable {
    private let current: Mutex<CommonRules>
    private let fixedConditions: RuleConditions
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
        current = Mutex(common)
        fixedConditions = conditions
        self.link = link ?? NetworkLink(isMetered: conditions.isMetered)
    }

    /// The operator's or the app's rules. Requests that begin later go by a change.
    package var common: CommonRules {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private var conditions: RuleConditions {
        var conditions = fixedConditions
        conditions.isMetered = link.isMetered
        return conditions
    }

    /// Nil when there is no rule at all, or none that could apply.
    func decision(for request: HTTPRequest, _ match: ResourceMatch) -> RuleDecision? {
        let rules = RuleSet(match.release.manifest, common: common)
        guard !rules.isEmpty else { return nil }
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
