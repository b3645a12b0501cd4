import BundleTesting
import Foundation
import OfflineBundlesWebKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task of a web view that notes each breach of the rules of `WKURLSchemeTask`, for which WebKit raises exceptions.
///
/// `@unchecked Sendable`: used on the queue of its loads; what tests read is in a monitor.
final class SimulatedTask: SchemeTask, @unchecked Sendable {
    struct Record: Sendable {
        var events: [String] = []
        var byteCount = 0
        var breaches: [String] = []
        var hasEnded = false
        var isStopped = false
    }

    let request: URLRequest
    let record = Monitor(Record())
    /// Called with each event, as a web view that does something then.
    var onEvent: ((String) -> Void)?
    private let queue: OperationQueue

    init(_ url: String, on queue: OperationQueue) {
        request = URLRequest(url: URL(string: url) ?? URL(fileURLWithPath: "/"))
        self.queue = queue
    }

    func noteStop() { record.update { $0.isStopped = true } }

    func didReceive(_ response: URLResponse) {
        note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)") { record in
            record.events.contains { $0.hasPrefix("response") } ? "a second response" : nil
        }
    }

    func didReceive(_ data: Data) {
        note("data", byteCount: data.count) { record in
            record.events.contains { $0.hasPrefix("response") } ? nil : "data before the response"
        }
    }

    func didFinish() {
        note("finish", isEnd: true) { record in
            record.events.contains { $0.hasPrefix("response") } ? nil : "the end before the response"
        }
    }

    func didFailWithError(_ error: any Error) {
        note("failure \((error as? URLError)?.code.rawValue ?? 0)", isEnd: true) { _ in nil }
    }

    private func note(
        _ event: String,
        byteCount: Int = 0,
        isEnd: Bool = false,
        _ breach: @Sendable @escaping (Record) -> String?
    ) {
        let isOnQueue = OperationQueue.current === queue
        record.update { record in
            if !isOnQueue { record.breaches.append("\(event) on another queue") }
            if record.isStopped { record.breaches.append("\(event) after the stop") }
            if record.hasEnded { record.breaches.append("\(event) after the end") }
            if let breach = breach(record) { record.breaches.append(breach) }
            record.events.append(event)
            record.byteCount += byteCount
            record.hasEnded = record.hasEnded || isEnd
        }
        onEvent?(event)
    }
}
