import BundleServing
import BundleStore
import HTTPTypes

/// Decides which network rule applies to a request. Safe to share between threads.
package struct NetworkRuling: Sendable {
    private let common: CommonRules
    private let fixedConditions: RuleConditions
    /// Whether the link is metered, now.
    let link: NetworkLink

    /// - Parameters:
    ///   - common: The operator's rules, which come before those of the manifests.
    ///   - conditions: When which rules apply.
    ///   - link: Whether the link is metered, in place of what `conditions` say.
    package init(
        _ common: CommonRules = CommonRules(),
        _ conditions: RuleConditions = RuleConditions(),
        link: NetworkLink? = nil
    ) {
        self.common = common
        fixedConditions = conditions
        self.link = link ?? NetworkLink(isMetered: conditions.isMetered)
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
}
