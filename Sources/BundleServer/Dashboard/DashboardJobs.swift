import BundleNetwork
import BundleStore
import BundleUpdate
import Logging
import ServiceLifecycle
import Synchronization

/// The checks and updates that operators begin on the dashboard, and pages of bundles: they go on when the page is closed, and end
/// with the server. At most one of a bundle is under way. Thread-safe.
final class DashboardJobs: Service {
    /// Of how many bundles the last outcome is kept.
    private static let maximumOutcomeCount = 256

    private struct State {
        var jobs: [BundleName: DashboardJob] = [:]
        var tasks: [BundleName: Task<Void, Never>] = [:]
        var outcomes: [BundleName: DashboardOutcome] = [:]
        var outcomeCount = 0
        var hasEnded = false
    }

    /// Nil where bundles can't be updated.
    private let updater: Updater?
    /// Why no bundle can be updated here; nil when they can.
    let obstacle: String?
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameters:
    ///   - updater: Nil for a server that has none.
    ///   - isOffline: Whether the server uses no network.
    init(_ updater: Updater?, isOffline: Bool, logger: Logger) {
        self.updater = isOffline ? nil : updater
        obstacle =
            isOffline ? "this server uses no network" : updater == nil ? "this server doesn't update bundles" : nil
        self.logger = logger
    }

    /// What is under way for a bundle, and what the last job has come to.
    func state(of name: BundleName) -> (DashboardJob?, DashboardOutcome?) {
        state.withLock { ($0.jobs[name], $0.outcomes[name]) }
    }

    /// Begins a check, or an update.
    ///
    /// - Parameter requester: Who wants it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` where bundles can't be updated, `storeBusy` when one
    ///   is under way for the bundle, or the server is shutting down.
    func begin(
        _ kind: DashboardJobKind,
        of name: BundleName,
        for requester: DashboardJobRequester = .operator
    ) throws(BundleError) {
        guard let updater else {
            throw BundleError(.invalidArgument, "\(name) can't be updated: \(obstacle ?? "")")
        }
        let job = DashboardJob(kind: kind)
        let refusal = state.withLock { state -> BundleError? in
            if state.hasEnded { return BundleError(.storeBusy, "the server is shutting down") }
            if let job = state.jobs[name] {
                return BundleError(
                    .storeBusy,
                    "\(job.kind == .check ? "a check" : "an update") of \(name) is under way",
                    .wait
                )
            }
            state.jobs[name] = job
            // The task takes the lock when it ends, and so after this.
            state.tasks[name] = Task { await self.run(kind, of: name, for: requester, with: updater) }
            return nil
        }
        if let refusal { throw refusal }
    }

    private func run(
        _ kind: DashboardJobKind,
        of name: BundleName,
        for requester: DashboardJobRequester,
        with updater: Updater
    ) async {
        let report = await kind.run(name, with: requester == .operator ? updater.attended : updater) { progress in
            // Before anything is to be fetched there is nothing to be done.
            guard progress.total > 0 else { return }
            self.state.withLock { $0.jobs[name]?.percentage = Int(progress.fraction * 100) }
        }
        state.withLock { state in
            (state.jobs[name], state.tasks[name]) = (nil, nil)
            guard let report else { return }
            state.outcomeCount += 1
            state.outcomes[name] = DashboardOutcome(
                number: state.outcomeCount,
                text: report.text,
                isFailure: report.isFailure
            )
            guard state.outcomes.count > Self.maximumOutcomeCount else { return }
            let oldest = state.outcomes.min { $0.value.number < $1.value.number }
            if let oldest { state.outcomes[oldest.key] = nil }
        }
        if let report {
            logger.log(level: report.isFailure ? .warning : .notice, "\(requester.rawValue): \(report.text)")
        }
    }

    /// Waits for the server's end, then ends what is under way: the next start resumes an update.
    func run() async {
        // Throws only when the task is cancelled, which is also a reason to end.
        try? await gracefulShutdown()
        let tasks = state.withLock { state in
            state.hasEnded = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// Who begins a check or an update, as the log says it.
enum DashboardJobRequester: String, Sendable {
    /// At once, whatever has failed before.
    case `operator` = "by the dashboard"
    /// As the server's clock does: a page's script asks again and again, also after failures.
    case page = "by a page"
}

/// A check or an update that is under way.
struct DashboardJob: Encodable, Equatable, Sendable {
    /// Which of them.
    let kind: DashboardJobKind
    /// How much is done, in hundredths; nil while that isn't known.
    var percentage: Int?
}

/// What a check or an update has come to.
struct DashboardOutcome: Encodable, Equatable, Sendable {
    /// Counts the outcomes since the server's start.
    let number: Int
    /// A sentence for a person.
    let text: String
    let isFailure: Bool
}

/// A check of a bundle's feed, or an update.
enum DashboardJobKind: String, Encodable, Sendable {
    case check, update

    /// What it has come to.
    typealias Report = (text: String, isFailure: Bool)

    /// Carries it out; returns nil when the task was cancelled.
    func run(
        _ name: BundleName,
        with updater: Updater,
        progress: @escaping @Sendable (ByteProgress) -> Void
    ) async -> Report? {
        do {
            switch self {
            case .check: return Self.report(try await updater.checkAll([name]).first?.result?.get())
            case .update:
                let outcomes = try await updater.updateAll([name], progress: { progress($1) })
                let result = try outcomes.first?.result?.get()
                // What can't be removed now is removed after the next update.
                if let updated = result?.updatedName { _ = try? await updater.pruneUnlessBusy(of: [updated]) }
                return Self.report(result)
            }
        } catch is CancellationError {
            return nil
        } catch {
            return ("\(name): \(error)", true)
        }
    }

    private static func report(_ check: UpdateCheck?) -> Report? {
        guard let check else { return nil }
        if let problem = check.problem { return ("\(problem)", true) }
        if let release = check.available {
            return ("\(check.name) \(release.version) is available, \(ByteCount.text(release.size))", false)
        }
        if let failure = check.decision.failure { return ("\(check.name): \(failure)", true) }
        let version = check.local.map { " at \($0)" } ?? ""
        let remark =
            check.isOnHold ? "; it is on hold" : check.held.map { "; only a version above \($0) is taken" } ?? ""
        return ("\(check.name) is up to date\(version)\(remark)", false)
    }

    private static func report(_ result: UpdateResult?) -> Report? {
        switch result {
        case nil: nil
        case .upToDate(let check), .available(let check): report(check)
        case .updated(let check, _, let delivery): (text(check, delivery, "is active now"), false)
        case .pending(let check, _, let delivery):
            (text(check, delivery, "is installed, and becomes active later"), false)
        }
    }

    private static func text(_ check: UpdateCheck, _ delivery: DeliveryReport?, _ state: String) -> String {
        let version = check.available.map { " \($0.version)" } ?? ""
        let received = delivery.map { "; \(ByteCount.text($0.receivedByteCount)) were received" } ?? ""
        return "\(check.name)\(version) \(state)\(received)"
    }
}
