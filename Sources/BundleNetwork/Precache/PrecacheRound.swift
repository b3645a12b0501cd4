import BundleServing
import BundleStore
import Foundation
import Synchronization

/// One round of fetching what a release names in `precache`. Thread-safe.
struct PrecacheRound: Sendable {
    private let precacher: Precacher
    private let fetch: PrecacheFetch
    private let release: Release

    init(_ precacher: Precacher, _ release: Release) {
        (self.precacher, self.release) = (precacher, release)
        let budget = PrecacheBudget(byteCount: precacher.limits.byteCount)
        fetch = PrecacheFetch(precacher: precacher, release: release, budget: budget)
    }

    private var fallback: OriginFallback { precacher.fallback }
    private var limits: PrecacheLimits { precacher.limits }
    private var store: BundleStore { fallback.cache.store }

    /// What is stored, and what has been tried.
    func report(fetched fetchedCount: Int = 0, isBusy: Bool = false) async -> PrecacheReport {
        let attempts = attempts
        var items: [PrecacheReport.Item] = []
        for url in release.manifest.network.precache {
            items.append(PrecacheReport.Item(url, isStored: await fetch.isStored(url), attempts[url]))
        }
        return PrecacheReport(
            name: release.name,
            version: release.version,
            items: items,
            fetchedCount: fetchedCount,
            isBusy: isBusy
        )
    }

    /// Fetches what isn't stored, and records the attempts.
    ///
    /// - Parameters:
    ///   - limit: How long it takes at most. What there is no time for is left for the next round.
    ///   - isForced: Whether to try also what isn't due.
    /// - Returns: How many URLs it has fetched.
    func run(within limit: Duration, isForced: Bool) async -> Int {
        let known = attempts
        let elapsed = fallback.clock.stopwatch()
        let date = fallback.now()
        let due = release.manifest.network.precache.filter { isForced || Self.isDue(known[$0], at: date) }
        var rest = due[...]
        var (results, fetchedCount): ([String: PrecacheAttempt], Int) = ([:], 0)
        await withTaskGroup(of: (url: String, outcome: Result<Bool, PrecacheFailure>?).self) { group in
            func begin() {
                guard let url = rest.popFirst() else { return }
                group.addTask { (url, await outcome(url, within: limit - elapsed())) }
            }
            for _ in 0..<limits.concurrency { begin() }
            for await (url, outcome) in group {
                guard let outcome else { continue }
                if case .success(true) = outcome { fetchedCount += 1 }
                results[url] = attempt(outcome, after: known[url])
                begin()
            }
        }
        // An attempt that can't be recorded is made again.
        try? store.recordPrecache(results, of: release.name, release.version)
        return fetchedCount
    }

    private var attempts: [String: PrecacheAttempt] {
        (try? store.precacheAttempts(of: release.name, release.version)) ?? [:]
    }

    private static func isDue(_ attempt: PrecacheAttempt?, at date: Date) -> Bool {
        guard let attempt else { return true }
        return attempt.nextDate.map { $0 <= date } ?? false
    }

    /// Whether the URL was fetched, or was stored already. Nil when the round's time was over, which says nothing about
    /// the URL.
    private func outcome(_ url: String, within rest: Duration) async -> Result<Bool, PrecacheFailure>? {
        guard rest > .zero, !Task.isCancelled else { return nil }
        if await fetch.isStored(url) { return .success(false) }
        let origin = (try? OriginURL(String(url.prefix { $0 != "?" })))?.root ?? ""
        if let reason = fetch.budget.outage(of: origin) { return .failure(.unavailable(reason)) }
        let outcome = await fallback.clock.limit(min(rest, limits.perURL)) {
            () async -> Result<Bool, PrecacheFailure> in
            do throws(PrecacheFailure) {
                try await fetch.run(url)
                return .success(true)
            } catch {
                return .failure(error)
            }
        }
        guard !Task.isCancelled else { return nil }
        guard let outcome else {
            return limits.perURL < rest ? .failure(.unavailable("it wasn't complete after \(limits.perURL)")) : nil
        }
        if case .failure(.unavailable(let reason)) = outcome { fetch.budget.noteOutage(of: origin, reason) }
        return outcome
    }

    private func attempt(_ outcome: Result<Bool, PrecacheFailure>, after last: PrecacheAttempt?) -> PrecacheAttempt {
        let date = fallback.now()
        switch outcome {
        case .success: return PrecacheAttempt(at: date, next: date + PrecacheLimits.day)
        case .failure(let failure):
            let count = (last?.failureCount ?? 0) + 1
            let pause = limits.pause(after: count, failure, random: precacher.random())
            return PrecacheAttempt(at: date, failureCount: count, failure: failure.text, next: pause.map { date + $0 })
        }
    }
}

extension Clock<Duration> {
    /// Runs `body` for at most this long; then it is cancelled, and the result is nil.
    fileprivate func limit<Result: Sendable>(
        _ limit: Duration,
        _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        await withTaskGroup(of: Result?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// How much is fetched ahead, and when again after a failure. A value type; safe to share between threads.
struct PrecacheLimits: Sendable {
    /// How many URLs of a release are fetched at once.
    var concurrency = 4
    /// One or two are usual.
    var redirects = 5
    /// How long one URL takes at most, with its redirects and their bodies.
    var perURL: Duration = .seconds(120)
    /// How many bytes are received for a release at a time. What is left waits for a day.
    var byteCount: Int64 = 256 << 20
    /// How often a URL is tried whose origin responds, but not with what can be stored.
    var refusalCount = 10

    /// When a URL is looked at again: what is stored may be evicted, and isn't fetched again at once.
    static let day: TimeInterval = 24 * 3_600

    /// The pause after attempts that failed one after the other, in seconds; nil when there is none to follow.
    ///
    /// - Parameters:
    ///   - count: The number of failures, at least 1.
    ///   - random: From 0 up to 1: devices that are switched on together don't ask at the same time.
    func pause(after count: Int, _ failure: PrecacheFailure, random: Double) -> TimeInterval? {
        let doublings = Double(1 << min(max(count - 1, 0), 16))
        let spread = 0.75 + 0.5 * random
        switch failure {
        case .unavailable: return min(30 * doublings, 3_600) * spread
        case .refused: return count < refusalCount ? min(600 * doublings, Self.day) * spread : nil
        case .postponed: return Self.day * spread
        }
    }
}

/// Why a URL wasn't fetched ahead. The texts are lines for a person.
enum PrecacheFailure: Error, Equatable {
    /// The origin didn't respond, or there was no time left for it.
    case unavailable(String)
    /// The origin's response, or a rule, prevents it.
    case refused(String)
    /// The bytes for a release are used up.
    case postponed(String)

    var text: String {
        switch self {
        case .unavailable(let text), .refused(let text), .postponed(let text): Printable.line(text)
        }
    }
}

/// The bytes that may be received for a release, and the origins that don't respond. Thread-safe.
final class PrecacheBudget: Sendable {
    private struct State {
        var byteCount: Int64
        var outages: [String: String] = [:]
    }

    private let total: Int64
    private let state: Mutex<State>

    init(byteCount: Int64) {
        total = byteCount
        state = Mutex(State(byteCount: byteCount))
    }

    /// Counts bytes that were received.
    func take(_ count: Int) throws(PrecacheFailure) {
        let isLeft = state.withLock { state in
            state.byteCount -= Int64(count)
            return state.byteCount >= 0
        }
        guard isLeft else { throw .postponed("the \(total) bytes that are fetched ahead at a time are used up") }
    }

    /// Why an origin isn't asked again in this round; nil when it may be.
    func outage(of origin: String) -> String? { state.withLock { $0.outages[origin] } }

    /// An origin didn't respond.
    func noteOutage(of origin: String, _ reason: String) {
        state.withLock { $0.outages[origin] = reason }
    }
}
