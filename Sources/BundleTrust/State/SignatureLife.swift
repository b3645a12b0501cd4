import BundleModel
import Foundation

/// How long documents are signed for, how much of that is left, as far as a device can know it, and who signs the next one. Pure.
package enum SignatureLife {
    private static let day: TimeInterval = 86_400
    /// For how long publishers sign the root and the targets, in seconds: a year.
    package static let offline = 365 * day
    /// For how long they sign the role `feed`, the snapshot and the timestamp, in seconds: 14 days.
    package static let online = 14 * day

    /// Whether a document should be signed again, half of its life being over.
    ///
    /// A publisher's machine signs once a day what is due, so that short-lived documents have a day more here: a device warns of what wasn't
    /// signed then.
    ///
    /// - Parameters:
    ///   - role: Its role.
    ///   - expiry: When its life is over.
    ///   - signedAt: When it was signed, or the timestamp that leads to it; nil where that isn't known.
    package static func isDue(_ role: RoleName, until expiry: Date, since signedAt: Date?, at now: Date) -> Bool {
        let rest = expiry.timeIntervalSince(now)
        // The root and the targets don't say when they were signed.
        guard role != .root, role != .targets else { return rest <= offline / 2 }
        let half = (signedAt.map { expiry.timeIntervalSince($0) } ?? online) / 2
        return rest <= max(half - day, half / 2)
    }

    /// What a publisher does for the next document of a role, as an order.
    ///
    /// - Parameter role: The role: `timestamp`.
    package static func renewal(of role: String) -> String {
        switch role {
        case RoleName.root.text.string:
            "have the publisher make a new root with the root key: “bundlectl keys rotate root”"
        case RoleName.targets.text.string:
            "have the publisher publish with the release key: “bundlectl publish --keys DIR”"
        default: "have the publisher's online key sign again: “bundlectl feed refresh”"
        }
    }
}
