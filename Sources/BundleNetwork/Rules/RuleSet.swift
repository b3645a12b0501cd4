import BundleStore

/// The network rules that hold for one bundle: those of the operator, then those of its manifest. The first that matches
/// applies.
///
/// A value type; safe to share between threads.
package struct RuleSet: Sendable {
    private let rules: [AppliedRule]
    private let scope: RuleScope

    /// - Parameters:
    ///   - manifest: The bundle's manifest.
    ///   - common: The operator's rules, which hold for all bundles.
    package init(_ manifest: BundleManifest, common: CommonRules = CommonRules()) {
        rules = common.applied + Self.numbered(manifest.network.rules, .manifest)
        scope = manifest.name == .unbundled ? .open : RuleScope(origins: manifest.origins)
    }

    /// Whether there is no rule at all.
    package var isEmpty: Bool { rules.isEmpty }

    static func numbered(_ rules: [NetworkRule], _ source: AppliedRule.Source) -> [AppliedRule] {
        rules.enumerated().map { AppliedRule(source: source, index: $0, rule: $1) }
    }

    /// What holds for a request. A rule for media types can't be decided yet: see ``RuleDecision/forResponse(of:)``.
    package func decision(for request: RuleRequest, _ conditions: RuleConditions) -> RuleDecision {
        var candidates: [AppliedRule] = []
        for applied in rules {
            let rule = applied.rule
            guard !rule.isOnlyIfMetered || conditions.isMetered, rule.mock == nil || conditions.isDevelopment,
                rule.match.matches(method: request.method, kind: request.kind, request.subject)
            else { continue }
            guard !rule.match.mediaTypes.isEmpty else {
                return RuleDecision(applied, candidates: candidates, request, scope)
            }
            candidates.append(applied)
        }
        return RuleDecision(nil, candidates: candidates, request, scope)
    }
}
