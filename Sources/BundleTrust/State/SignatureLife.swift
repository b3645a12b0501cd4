import BundleModel
import Foundation

/// How much of a document's life is left, as far as a device can know it, and who signs the next one. Pure.
package enum SignatureLife {
    private static let day: TimeInterval = 86_400
    /// Half of the year for which publishers sign the root and the targets: those documents don't say when they were signed.
    private static let halfOfYear = 365 * day / 2
    /// Half of the 14 days for which they sign the others, where it isn't said since when.
    private static let halfOfFortnight = 14 * day / 2

    /// Whether a document should be signed again, half of its life being over.
    ///
    /// A publisher's machine signs once a day what is due, so that short-lived documents have a day more here: a device warns of what wasn't
    /// signed then.
    ///
    /// - Parameters:
    ///   - role: Its role: `timestamp`.
    ///   - expiry: When its life is over.
    ///   - signedAt: When it was signed, or the timestamp that leads to it; nil where that isn't known.
    package static func isDue(role: String, until expiry: Date, since signedAt: Date?, at now: Date) -> Bool {
        let rest = expiry.timeIntervalSince(now)
        guard !isSignedOffline(role) else { return rest <= halfOfYear }
        let half = signedAt.map { expiry.timeIntervalSince($0) / 2 } ?? halfOfFortnight
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

    private static func isSignedOffline(_ role: String) -> Bool {
        [RoleName.root, .targets].contains { $0.text.string == role }
    }
}
