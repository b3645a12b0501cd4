import BundleServing
import BundleStore
import Foundation

/// One round of fetching what a release names in `precache`. Thread-safe.
struct PrecacheRound: Sendable {
    let fetch: PrecacheFetch
    let release: Release
    let limits: PrecacheLimits
    let random: @Sendable () -> Double

    init(
        _ responder: LayeredResponder,
        _ release: Release,
        _ limits: PrecacheLimits,
        random: @escaping @Sendable () -> Double
    ) {
        self.release = release
        self.limits = limits
        self.random = random
        let budget = PrecacheBudget(byteCount: limits.byteCount)
        fetch = PrecacheFetch(responder: responder, release: release, limits: limits, budget: budget)
    }

    private var clock: any Clock<Duration> { fetch.responder.fallback.clock }
    private var store: BundleStore { fetch.responder.fallback.cache.store }

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
        let elapsed = clock.stopwatch()
        let date = fetch.responder.fallback.now()
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
        if let reason = fetch.budget.silence(of: origin) { return .failure(.unavailable(reason)) }
        let outcome = await clock.limit(min(rest, limits.perURL)) { () async -> Result<Bool, PrecacheFailure> in
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
        if case .failure(.unavailable(let reason)) = outcome { fetch.budget.noteSilence(of: origin, reason) }
        return outcome
    }

    private func attempt(_ outcome: Result<Bool, PrecacheFailure>, after last: PrecacheAttempt?) -> PrecacheAttempt {
        let date = fetch.responder.fallback.now()
        switch outcome {
        case .success: return PrecacheAttempt(at: date, next: date + PrecacheLimits.day)
        case .failure(let failure):
            let count = (last?.failureCount ?? 0) + 1
            let pause = limits.pause(after: count, failure, random: random())
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
