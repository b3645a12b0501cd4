import BundleNetwork
import BundleStore
import BundleUpdate

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
        case .upToDate(let check): report(check)
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
