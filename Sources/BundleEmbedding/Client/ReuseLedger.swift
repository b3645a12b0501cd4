import BundleNetwork
import BundleServing
import HTTPTypes
import Synchronization

/// Counts how often stored responses are used, by URL. Thread-safe.
final class ReuseLedger: Sendable {
    private let items = Mutex(FrequentItems())

    /// The most frequent first.
    var counts: [(url: String, count: Int64)] {
        items.withLock { $0.counts }.map { (url: $0.text, count: $0.count) }
            .sorted { ($1.count, $0.url) < ($0.count, $1.url) }
    }

    func note(_ source: ResponseSource, _ request: HTTPRequest) {
        note(source, "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
    }

    func note(_ source: ResponseSource, _ url: @autoclosure () -> String) {
        guard [.cache, .stale].contains(source.layer) else { return }
        let url = url()
        items.withLock { $0.add(url) }
    }
}
