import BundleNetwork
import BundleServing
import BundleStore
import Foundation

/// What the dashboard shows: one document, however much the store has. A value type.
///
/// Texts of bundles, feeds and pages are in it as they are: the page shows them as text alone. Dates are seconds since 1970.
struct DashboardState: Encodable {
    /// How much of each list is told.
    static let (bundleCount, versionCount, eventCount, missCount) = (200, 50, 50, 10)
    /// The longest text that says why something has failed, in characters.
    static let textLength = 500
    /// How far the numbers of requests reach back, in seconds.
    static let usageInterval: TimeInterval = 86_400

    let server: DashboardServer
    /// By name; ``DashboardServer/bundleCount`` says how many there are.
    let bundles: [DashboardBundle]
    /// Nil when no statistics are counted, or they can't be read.
    let usage: DashboardUsage?
    /// Nil when it can't be read.
    let storage: DashboardStorage?
    /// The latest first.
    let events: [DashboardEvent]
    let origins: [DashboardOrigin]

    /// One line of JSON.
    var document: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .secondsSince1970
        // Nothing in it can't be written: numbers are finite.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// The server itself.
struct DashboardServer: Encodable {
    let version: String
    let startedAt: Date
    /// How often bundles are updated, in seconds; nil when they aren't.
    let checkInterval: Double?
    /// What keeps the server from serving as it should; nil when nothing does.
    let problem: String?
    let bundleCount: Int
}

/// How much room the store's parts take, in bytes.
struct DashboardStorage: Encodable {
    struct Part: Encodable {
        let kind: String
        let byteCount: Int64
    }

    let parts: [Part]
    /// Nil for none.
    let quota: Int64?

    init(_ report: StorageReport) {
        parts = report.parts.map(Part.init)
        quota = report.quota
    }
}

/// An event of the history.
struct DashboardEvent: Encodable {
    let number: Int64
    let kind: String
    let name: String
    let date: Date
    let version, previous, detail, plan: String?
    let receivedByteCount: Int64?

    init(_ event: UpdateEvent) {
        (number, kind, name, date) = (event.number, event.kind.rawValue, event.bundle.string, event.date)
        (version, previous, detail) = (event.version?.string, event.previous?.string, event.detail)
        (plan, receivedByteCount) = (event.plan, event.receivedByteCount)
    }
}

/// What was seen of an origin since the server's start.
struct DashboardOrigin: Encodable {
    let origin: String
    /// `closed`, `open` or `half-open`: whether it counts as out.
    let circuit: String
    let responseCount, failureCount: Int
    let failure: String?

    init(_ state: OriginState) {
        (origin, circuit) = (state.origin, state.circuit.rawValue)
        (responseCount, failureCount) = (state.responseCount, state.failureCount)
        failure = state.failure.map { String($0.prefix(DashboardState.textLength)) }
    }
}
