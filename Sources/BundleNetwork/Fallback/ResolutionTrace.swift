import BundleServing
import BundleStore

/// Which layer serves a URL and by which rule, and why the others don't.
///
/// Immutable; safe to share between threads.
package struct ResolutionTrace: Sendable {
    /// The layers in the order in which they are asked.
    package enum Layer: String, Sendable, Codable, CaseIterable, CustomStringConvertible {
        /// The active release has a file, or a folder's or the entry page.
        case active
        /// An earlier release has it.
        case retained
        /// The manifest's fallback page stands in for a client-side route.
        case route
        /// The cache has a response from the network.
        case cache
        /// The origin is asked.
        case network
        /// The manifest's offline page, when no other layer serves a navigation.
        case offlinePage

        /// The layer's name as displayed.
        package var description: String {
            switch self {
            case .active: "active version"
            case .retained: "earlier version"
            case .route: "fallback route"
            case .cache: "cache"
            case .network: "network"
            case .offlinePage: "offline page"
            }
        }
    }

    /// The result of asking a layer.
    package enum Verdict: String, Sendable, Codable, CustomStringConvertible {
        /// It serves the URL.
        case responds
        /// It would be asked over the network, which a trace doesn't do.
        case wouldAsk
        /// It has nothing, and the next layer is asked.
        case passes
        /// An earlier layer serves the URL.
        case notAsked

        /// The verdict in words.
        package var description: String {
            switch self {
            case .responds: "responds"
            case .wouldAsk: "would be asked"
            case .passes: "passes on"
            case .notAsked: "not asked"
            }
        }
    }

    /// The part of one layer.
    package struct Step: Sendable {
        /// The layer.
        package let layer: Layer
        /// Its result.
        package let verdict: Verdict
        /// Why, in a short phrase; safe to print.
        package let reason: String
        /// What to do about it; nil when it is as it should be.
        package let remedy: Remedy?
    }

    /// The bundle that covers the URL, and how.
    package let match: ResourceMatch
    /// Every layer once, in the order in which they are asked.
    package let steps: [Step]
    /// What the network rules say, when the bundle lacks the URL: ``RuleDecision/summary``.
    package let rules: [String]

    /// The layer that serves the URL, or nil when none does and the response is a 504 or 404.
    package var response: Step? {
        steps.first { $0.verdict == .responds || $0.verdict == .wouldAsk }
    }
}
