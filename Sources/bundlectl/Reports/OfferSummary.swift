import BundleNetwork
import BundleStore
import BundleUpdate

/// A release as a feed offers it.
struct OfferSummary: Encodable {
    let version: String
    let channels: [String]
    /// In percent.
    let rollout: Double
    let isCritical: Bool
    let isRevoked: Bool
    let minimumShell: String?
    /// The share in words, which isn't encoded.
    private let share: String?

    private enum CodingKeys: CodingKey {
        case version, channels, rollout, isCritical, isRevoked, minimumShell
    }

    init(_ entry: FeedEntry) {
        let terms = entry.terms
        version = entry.version.string
        channels = terms.offeringChannels
        rollout = terms.rollout.percent
        isCritical = terms.isCritical
        isRevoked = terms.isRevoked
        minimumShell = terms.minimumShell?.string
        share = terms.rollout == .everyone ? nil : "\(terms.rollout)"
    }

    /// Such as `offered for stable, to 10% of the installations, critical`.
    var text: String {
        guard !isRevoked else { return "revoked" }
        let audience = "offered for " + channels.map(Printable.line).joined(separator: " and ")
        return ([audience, share.map { "to \($0) of the installations" }].compactMap(\.self) + conditions)
            .joined(separator: ", ")
    }

    /// What else is said of it.
    var conditions: [String] {
        [isCritical ? "critical" : nil, minimumShell.map { "for shell \($0) and above" }].compactMap(\.self)
    }
}
