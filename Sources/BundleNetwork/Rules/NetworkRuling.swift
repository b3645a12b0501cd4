import BundleServing
import BundleStore
import HTTPTypes

/// Decides which network rule applies to a request. A value type; safe to share between threads.
package struct NetworkRuling: Sendable {
    private let common: CommonRules
    private let conditions: RuleConditions

    /// - Parameters:
    ///   - common: The operator's rules, which come before those of the manifests.
    ///   - conditions: When which rules apply.
    package init(_ common: CommonRules = CommonRules(), _ conditions: RuleConditions = RuleConditions()) {
        self.common = common
        self.conditions = conditions
    }

    /// Nil when there is no rule at all, or none that could apply.
    func decision(for request: HTTPRequest, _ match: ResourceMatch) -> RuleDecision? {
        let rules = RuleSet(match.release.manifest, common: common)
        guard !rules.isEmpty else { return nil }
        let decision = rules.decision(for: RuleRequest(request, match), conditions)
        return decision.applied == nil && !decision.dependsOnMediaType ? nil : decision
    }
}
