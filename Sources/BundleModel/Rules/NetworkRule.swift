/// One rule of ``NetworkRules``. A value type; safe to share between threads.
package struct NetworkRule: Equatable, Sendable {
    /// The keys of a rule.
    enum Key: String, CaseIterable {
        case match
        case onlyIfMetered
        case strategy
        case timeLimit
        case offline
        case requestFields
        case responseFields
        case connectTo
        case rewrite
        case redirect
        case mock
    }

    /// The only value of `offline`.
    static let neverOffline = "never"

    /// The requests that it applies to.
    package var match = RuleMatch()
    /// Whether it applies only while the link is metered.
    package var isOnlyIfMetered = false
    /// Which of the cache and the network respond.
    package var strategy = RuleStrategy.cacheFirst
    /// With `network-first`, how long the network is waited for while there is a stored response; nil is the server's
    /// default.
    package var timeLimit: Milliseconds?
    /// Whether nothing stored is sent without a network.
    package var isNeverOffline = false
    /// The edits of the request that goes to the origin.
    package var requestFields = FieldEdit()
    /// The edits of the response that goes to the client; what is stored stays as the origin sent it.
    package var responseFields = FieldEdit()
    /// Where the connection for the origin goes; `Host` and the TLS server name stay those of the origin.
    package var connectTo: ConnectAddress?
    /// The URL that is requested instead.
    package var rewrite: URLRewrite?
    /// The redirect that is sent without asking anyone.
    package var redirect: RuleRedirect?
    /// The response that is sent instead, during development.
    package var mock: RuleMock?

    /// A rule that applies to all requests, and changes nothing.
    package init() {}

    /// Whether no later rule is ever tried for a request that this one matches: it applies whatever the link is, and not
    /// only during development.
    var isUnconditional: Bool { !isOnlyIfMetered && mock == nil }
}
