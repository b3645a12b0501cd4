import BundleServing
import HTTPTypes
import Synchronization

/// The state of an endpoint for load balancers and supervisors: whether it runs (`/healthz`), and whether it should get
/// requests (`/readyz`).
///
/// It is ready from its first accepted connection to its shutdown, as long as the store can be read. An empty store
/// doesn't make it unready: requests for what is missing get an explanation, and the first bundle may be installed
/// through a network that the endpoint's readiness opens. Nor does a release that can't be opened: another one is
/// served in its place, and a device that received no requests would show nothing at all. The text of the response says
/// so. Thread-safe.
final class EndpointHealth: Sendable {
    private enum Phase {
        case starting
        case serving
        case draining
    }

    private struct State {
        var phase = Phase.starting
        var storeFailure: String?
        var degradations: [String] = []
    }

    private let state = Mutex(State())

    func startServing() {
        state.withLock { $0.phase = .serving }
    }

    func startDraining() {
        state.withLock { $0.phase = .draining }
    }

    /// - Parameter failure: Why the store couldn't be read at the last check; nil when it could.
    func noteStore(failure: String?) {
        state.withLock { $0.storeFailure = failure }
    }

    /// - Parameter degradations: A sentence for each active release that can't be opened, naming the release that is
    ///   served instead.
    func note(degradations: [String]) {
        state.withLock { $0.degradations = degradations }
    }

    private var degradation: String? {
        let degradations = state.withLock { $0.degradations }
        return degradations.isEmpty ? nil : degradations.joined(separator: "; ")
    }

    /// What keeps it from serving as it should; nil when nothing does.
    var problem: String? { unreadiness ?? degradation }

    /// Why it shouldn't get requests; nil when it should.
    var unreadiness: String? {
        state.withLock { state in
            switch state.phase {
            case .starting: "The server is starting."
            case .draining: "The server is shutting down."
            case .serving: state.storeFailure.map { "The store can't be read: \($0)" }
            }
        }
    }

    /// The response to a probe; nil for any other request.
    func response(to request: HTTPRequest) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        let response: Response
        switch request.path?.prefix(while: { $0 != "?" }) {
        case "/healthz": response = .plain(.ok, "ok")
        case "/readyz":
            response =
                unreadiness.map { .plain(.serviceUnavailable, $0) }
                ?? .plain(.ok, degradation.map { "degraded: \($0)" } ?? "ok")
        default: return nil
        }
        return request.method == .head ? response.withoutBody : response
    }
}
