import BundleServing
import BundleStore
import HTTPTypes
import Logging
import Synchronization

/// Carries out what pages ask for where their release permits that: an update of their own bundle, and the activation of what is
/// installed. Thread-safe.
final class PageActions: Sendable {
    /// How often pages may have a bundle updated.
    static let interval: Duration = .seconds(60)

    private let store: BundleStore
    private let jobs: DashboardJobs
    private let elapsed: @Sendable () -> Duration
    private let logger: Logger
    /// What the nonces of this run are made of.
    private let secret = AdminToken()
    /// When pages had bundles updated last.
    private let begun = Mutex<[BundleName: Duration]>([:])

    /// - Parameter clock: Measures the time between updates.
    init(_ store: BundleStore, _ jobs: DashboardJobs, clock: any Clock<Duration>, logger: Logger) {
        (self.store, self.jobs, self.logger) = (store, jobs, logger)
        elapsed = clock.stopwatch()
    }

    /// What pages of the active release act with, unless they confirm it with another nonce; nil when they mustn't act. It is
    /// another one in each run, and for each release.
    func nonce(of bundle: InstalledBundle) -> String? {
        guard let active = bundle.active, active.manifest.pagesMayUpdate else { return nil }
        let text = "\(secret.text) \(bundle.name) \(active.version) \(active.contentDigest.hex)"
        return String(Digest(of: Array(text.utf8)).hex.prefix(32))
    }

    /// The response that refuses an action, or nil when it has begun. Waits for the disk.
    ///
    /// - Parameters:
    ///   - action: `update` or `activate`.
    ///   - given: The nonce that the page has sent.
    ///   - own: The nonce that the page was given; nil for none.
    func perform(_ action: PageCall.Action, of bundle: InstalledBundle, given: String?, own: String?) -> Response? {
        guard bundle.active?.manifest.pagesMayUpdate == true else {
            return .plain(.forbidden, "The bundle's active release doesn't permit its pages to do this.")
        }
        guard let own, given == own else {
            return .plain(.conflict, "This isn't what pages of the active release are given; ask for the state again.")
        }
        return action == .activate ? activate(bundle.name) : update(bundle.name)
    }

    private func activate(_ name: BundleName) -> Response? {
        guard let (_, version) = store.activatePending(where: { bundle, _ in bundle.name == name }).first else {
            return .plain(.conflict, "No release waits to become active, or the bundle is on hold or being changed.")
        }
        logger.notice("by a page: \(name) \(version) is active now")
        return nil
    }

    private func update(_ name: BundleName) -> Response? {
        let now = elapsed()
        let pause = begun.withLock { begun -> Duration? in
            if let last = begun[name], now - last < Self.interval { return Self.interval - (now - last) }
            // Those whose time is over don't count any more.
            begun = begun.filter { now - $0.value < Self.interval }
            begun[name] = now
            return nil
        }
        if let pause {
            // Rounded up.
            let seconds = pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0)
            return .plain(
                .tooManyRequests,
                "The bundle was updated less than a minute ago.",
                fields: [.retryAfter: "\(seconds)"]
            )
        }
        do {
            try jobs.begin(.update, of: name, for: .page)
            return nil
        } catch {
            begun.withLock { $0[name] = nil }
            return .plain(.conflict, "\(error.message).")
        }
    }
}
