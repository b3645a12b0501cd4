import BundleNetwork
import BundleStore
import HTTPCore
import HTTPTypes
import Logging
import ServiceLifecycle
import Synchronization

/// Writes what has been seen of the origins into the store, so that other processes can show it, and marks the store as
/// being served.
struct OriginStateService: Service {
    /// How often it looks for changes.
    static let interval: Duration = .seconds(1)
    /// How long counters may stay unwritten: each transaction waits for the disk, and wears it.
    static let countInterval: Duration = .seconds(30)
    /// The same while an origin is out, which is asked again and again.
    static let outageInterval: Duration = .seconds(5)

    private let store: BundleStore
    private let layers: LayeredResponder
    private let clock: any Clock<Duration>
    private let logger: Logger

    init(_ store: BundleStore, _ layers: LayeredResponder, clock: any Clock<Duration>, logger: Logger) {
        self.store = store
        self.layers = layers
        self.clock = clock
        self.logger = logger
    }

    func run() async {
        let lock = store.lockServing()
        defer { withExtendedLifetime(lock) {} }
        closeOutages()
        var written = await cancelWhenGracefulShutdown {
            var written: [String: OriginState] = [:]
            let elapsed = clock.stopwatch()
            var countedAt = Duration.zero
            while !Task.isCancelled {
                let isCalm = written.values.allSatisfy { $0.circuit == .closed }
                let isCountDue = elapsed() - countedAt >= (isCalm ? Self.countInterval : Self.outageInterval)
                if isCountDue { countedAt = elapsed() }
                record(&written) { new, old in isCountDue || new.isOut != (old?.isOut ?? false) || old == nil }
                // Throws only when the service is shut down or cancelled, which the loop's condition detects.
                try? await clock.sleep(for: Self.interval)
            }
            return written
        }
        record(&written) { _, _ in true }
    }

    /// An earlier process may have ended while an origin was out; for this one none is.
    private func closeOutages() {
        let outages = (try? store.originStates().map(\.state).filter(\.isOut)) ?? []
        let closed = outages.map { state in
            var state = state
            (state.circuit, state.nextTry) = (.closed, nil)
            return state
        }
        // A store that can't be written keeps what is there.
        try? store.recordOriginStates(closed)
    }

    /// - Parameter isUrgent: Whether a change must be written now.
    private func record(
        _ written: inout [String: OriginState],
        where isUrgent: (OriginState, OriginState?) -> Bool
    ) {
        // The time of the next attempt changes by itself.
        let states = layers.originStates.map { state in
            var state = state
            if state.circuit == .closed { state.nextTry = nil }
            return state
        }
        let changed = states.filter { state in
            let old = written[state.origin]
            return !state.isSame(as: old) && isUrgent(state, old)
        }
        guard !changed.isEmpty else { return }
        let turned = changed.filter { $0.isOut != (written[$0.origin]?.isOut ?? false) }
        do {
            try store.recordOriginStates(changed)
            for state in changed { written[state.origin] = state }
        } catch {
            logger.debug("the state of the origins was not written: \(error)")
        }
        // After that, so that who reads the line finds the state in the store.
        for state in turned { log(state) }
    }

    private func log(_ state: OriginState) {
        if state.isOut {
            logger.notice("\(state.origin) doesn't respond: \(state.failure ?? "it was too slow")")
        } else {
            logger.notice("\(state.origin) responds again")
        }
    }
}

extension OriginState {
    fileprivate var isOut: Bool { circuit != .closed }

    fileprivate func isSame(as other: OriginState?) -> Bool {
        guard var other else { return false }
        other.nextTry = nextTry
        return self == other
    }
}

/// Logs denied origins, each once: clients don't get the reason, and may repeat their requests at will.
final class DenialLoggingTransport: OriginTransport {
    /// Any further ones are neither recorded nor logged.
    private static let maximumCount = 100

    private let transport: any OriginTransport
    private let logger: Logger
    private let reported = Mutex<Set<String>>([])

    init(_ transport: any OriginTransport, logger: Logger) {
        self.transport = transport
        self.logger = logger
    }

    func send(_ call: OriginCall) async throws -> OriginResponse {
        do {
            return try await transport.send(call)
        } catch let error as BundleError where error.cause is OriginDenial {
            let isNew = reported.withLock {
                $0.count < Self.maximumCount && $0.insert(call.request.authority ?? "").inserted
            }
            if isNew { logger.warning("\(error)") }
            throw error
        }
    }
}
