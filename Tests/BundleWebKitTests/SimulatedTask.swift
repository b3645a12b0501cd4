import BundleWebKit
import Dispatch
import HTTPTypes

/// A task that notes every breach of the documented protocol of `WKURLSchemeTask`, for which WebKit would raise an exception.
final class SimulatedTask: SchemeTask {
    enum Call: Equatable { case head(Int), data, finish, fail }

    /// On Linux another thread may serve the main queue once the first has nothing to do: the queue tells.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private(set) var calls: [Call] = []
    private(set) var content: [UInt8] = []
    private(set) var breaches: [String] = []
    private(set) var hasEnded = false
    private var hasResponse = false
    private var isStopped = false
    /// Called within each call, as WebKit's delegates may.
    var onCall: (@MainActor (Call) -> Void)?

    func stop() { isStopped = true }

    func didReceive(_ head: HTTPResponse) {
        check("response")
        hasResponse = true
        note(.head(head.status.code))
    }

    func didReceive(_ data: [UInt8]) {
        check("data")
        if !hasResponse { breaches.append("data before the response") }
        content += data
        note(.data)
    }

    func didFinish() {
        check("finish")
        if !hasResponse { breaches.append("finish before the response") }
        hasEnded = true
        note(.finish)
    }

    func didFail(_ failure: SchemeFailure) {
        check("fail")
        hasEnded = true
        note(.fail)
    }

    private func note(_ call: Call) {
        calls.append(call)
        onCall?(call)
    }

    private func check(_ what: String) {
        if DispatchQueue.getSpecific(key: Self.mark) == nil { breaches.append("\(what) off the main thread") }
        if isStopped { breaches.append("\(what) after stop") }
        if hasEnded { breaches.append("\(what) after the end") }
    }
}
