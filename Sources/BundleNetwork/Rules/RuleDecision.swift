import BundleStore
import HTTPTypes

/// What the network rules say about one request: the rule that applies, and those that may apply instead when the media
/// type of the response is known.
///
/// A value type; safe to share between threads.
package struct RuleDecision: Sendable {
    /// The rule that applies; nil when none does.
    package let applied: AppliedRule?
    /// The rules before ``applied`` that only lack the media type, in their order.
    private let candidates: [AppliedRule]
    private let request: RuleRequest
    private let scope: RuleScope

    init(_ applied: AppliedRule?, candidates: [AppliedRule], _ request: RuleRequest, _ scope: RuleScope) {
        self.applied = applied
        self.candidates = candidates
        self.request = request
        self.scope = scope
    }

    /// Whether a media type can still change the decision.
    package var dependsOnMediaType: Bool { !candidates.isEmpty }

    /// The rules that may apply when the media type is known.
    package var undecided: [AppliedRule] { candidates }

    /// The decision for a response, stored or from the network.
    ///
    /// - Parameter mediaType: The value of `Content-Type`; nil when there is none.
    package func forResponse(of mediaType: String?) -> RuleDecision {
        let first = candidates.first { $0.rule.match.matches(mediaType: mediaType) }
        return RuleDecision(first ?? applied, candidates: [], request, scope)
    }
}

// MARK: - What applies

extension RuleDecision {
    private var rule: NetworkRule? { applied?.rule }

    /// Which of the cache and the network respond.
    package var strategy: RuleStrategy { rule?.strategy ?? .cacheFirst }

    /// How long `network-first` waits while there is a stored response; nil is the server's default.
    package var timeLimit: Duration? { rule?.timeLimit?.duration }

    /// Whether nothing stored is sent without a network.
    package var isNeverOffline: Bool { rule?.isNeverOffline ?? false }

    /// Where the connection goes in place of the origin's host.
    package var connectTo: ConnectAddress? { rule?.connectTo }

    /// The redirect that is sent without asking anyone.
    ///
    /// - Parameter root: The path of the bundle's root, as in the request, with a slash at its end.
    package func redirect(root: String) -> (status: Int, location: String)? {
        rule?.redirect.map { ($0.status, $0.location(root: root)) }
    }

    /// The response that takes the network's place.
    package var mock: MockResponse? {
        guard let applied, let mock = applied.rule.mock else { return nil }
        return MockResponse(mock, of: applied.source)
    }

    /// Where the request goes.
    package var target: RuleTarget {
        guard let rewrite = rule?.rewrite, let components = rewrite.components(replacing: request.subject)
        else { return .unchanged }
        return RuleTarget(components, of: rewrite.to, request, scope)
    }

    /// The fields of the request that goes to the origin, from those that would go without rules.
    ///
    /// - Parameter fields: Those of the request for ``target``.
    package func requestFields(_ fields: HTTPFields) -> HTTPFields {
        let confined = target.isForOtherOrigin ? fields.withoutCredentials : fields
        return confined.edited(by: rule?.requestFields ?? FieldEdit(), in: .request)
    }

    /// The fields of the response that goes to the client.
    package func responseFields(_ fields: HTTPFields) -> HTTPFields {
        fields.edited(by: rule?.responseFields ?? FieldEdit(), in: .response)
    }
}
