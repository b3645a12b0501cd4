import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// How often pages have asked about their bundles. Thread-safe.
final class PageCallCounts: Sendable {
    /// By bundle; only the names of installed ones are counted.
    private let counts = Mutex<[BundleName: Int64]>([:])

    /// The numbers of calls so far. They only grow.
    var all: [BundleName: Int64] { counts.withLock(\.self) }

    /// Takes a call. A stream that a browser opens again by itself doesn't count: it says nothing of a user.
    func note(_ call: PageCall, _ request: HTTPRequest) {
        guard call.action != .events || !request.headerFields.contains(.lastEventID) else { return }
        counts.withLock { $0[call.name, default: 0] &+= 1 }
    }
}

extension HTTPField.Name {
    /// The last event that a browser got (WHATWG HTML, “Server-sent events”).
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}
