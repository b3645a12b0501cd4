import Foundation
import GRDB

/// Something that has happened to a bundle: an entry of the store's journal, see ``BundleStore/history(of:)``.
///
/// A value type; safe to share between threads.
public struct UpdateEvent: Sendable, Hashable, Encodable {
    /// What has happened. New cases may be added: have a default where you switch over it.
    public enum Kind: String, Sendable, CaseIterable, Encodable {
        /// A feed was read, or the root by which it is trusted has changed.
        case checked
        /// A release was chosen; without a version, none is chosen any more.
        case decided
        /// What a release lacked was fetched.
        case fetched
        /// A release was installed.
        case installed
        /// A release has become active.
        case activated
        /// The active release was found to work.
        case confirmed
        /// A release was found not to work.
        case markedBad
        /// An earlier release has become active again.
        case rolledBack
        /// A release mustn't be used any more.
        case revoked
        /// A check or an update has failed.
        case failed
        /// Checks or updates succeed again, after one has failed.
        case recovered
        /// A page has reported an error.
        case reported
    }

    /// The longest ``detail`` in bytes of UTF-8; a longer one is cut.
    public static let maximumDetailByteCount = 512

    /// Counts the events of the store, and grows with each; 0 for one that isn't recorded yet.
    public let number: Int64
    /// What has happened.
    public let kind: Kind
    /// The bundle.
    public let bundle: BundleName
    /// When it happened.
    public let date: Date
    /// The version that it happened to; of ``Kind/checked`` the highest one in the channel. Nil when there is none.
    public let version: BundleVersion?
    /// The version that was active before; nil when there was none.
    public let previous: BundleVersion?
    /// Why it happened, or what else there is to say. It may come from a feed or a page: escape it before it is shown.
    public let detail: String?
    /// How an update is fetched: `archive`, for example. Nil for other events.
    public let plan: String?
    /// How many bytes were to be fetched; nil for other events.
    public let predictedByteCount: Int64?
    /// How many bytes were fetched; nil for other events.
    public let receivedByteCount: Int64?

    private enum CodingKeys: String, CodingKey {
        case number, kind
        case bundle = "name"
        case date, version, previous, detail, plan, predictedByteCount, receivedByteCount
    }

    /// - Parameter detail: Cut when it is too long.
    package init(
        number: Int64 = 0,
        _ kind: Kind,
        _ bundle: BundleName,
        at date: Date,
        version: BundleVersion? = nil,
        previous: BundleVersion? = nil,
        detail: String? = nil,
        plan: String? = nil,
        predictedByteCount: Int64? = nil,
        receivedByteCount: Int64? = nil
    ) {
        (self.number, self.kind, self.bundle, self.date) = (number, kind, bundle, date)
        (self.version, self.previous) = (version, previous)
        self.detail = detail.map { Self.cut($0) }
        self.plan = plan
        (self.predictedByteCount, self.receivedByteCount) = (predictedByteCount, receivedByteCount)
    }

    /// Whether it says the same as another one, whenever that was.
    func repeats(_ other: UpdateEvent) -> Bool {
        (kind, bundle, version?.string, previous?.string, detail, plan)
            == (other.kind, other.bundle, other.version?.string, other.previous?.string, other.detail, other.plan)
            && (predictedByteCount, receivedByteCount) == (other.predictedByteCount, other.receivedByteCount)
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumDetailByteCount else { return text }
        var (count, end) = (0, text.unicodeScalars.startIndex)
        while case let length = text.unicodeScalars[end].utf8.count, count + length <= maximumDetailByteCount {
            count += length
            end = text.unicodeScalars.index(after: end)
        }
        return String(text.unicodeScalars[..<end])
    }
}

extension UpdateEvent.Kind {
    /// Those of which only what differs from the last one is recorded, because they happen again and again; nil for one that
    /// is always recorded.
    var alternatives: [UpdateEvent.Kind]? {
        switch self {
        case .checked, .decided: [self]
        // A failure that comes back is news.
        case .failed: [.failed, .recovered]
        default: nil
        }
    }
}

extension UpdateEvent {
    /// Nil when a column has a value that this program never writes, such as a kind that only a newer one knows.
    init?(_ row: Row) {
        guard let kind = row.text("kind").flatMap(Kind.init),
            let bundle = row.text("bundle").flatMap({ BundleName($0) }),
            let number = row.integer("number", in: 1...Int64.max),
            let date = row.date("date")
        else { return nil }
        self.init(
            number: number,
            kind,
            bundle,
            at: date,
            version: row.text("version").flatMap { BundleVersion($0) },
            previous: row.text("previous").flatMap { BundleVersion($0) },
            detail: row.text("detail"),
            plan: row.text("plan"),
            predictedByteCount: row.integer("predictedByteCount", in: 0...Int64.max),
            receivedByteCount: row.integer("receivedByteCount", in: 0...Int64.max)
        )
    }
}
