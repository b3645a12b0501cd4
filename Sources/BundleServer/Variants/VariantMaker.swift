import BundleCoding
import BundleServing
import BundleStore
import Logging
import ServiceLifecycle
import Synchronization

/// Makes the coded forms of the files that are asked for, one after the other, off the path of the requests: the first
/// answers with a file are sent as it is, later ones in the coding that suits the client best.
///
/// A form is the publisher's own, where the bundle brings one that proves to be the same content, else it is made here and
/// kept in the store. Each is tried once for as long as the store stays the same. Thread-safe.
final class VariantMaker: VariantProvider, Service {
    /// How many forms may be waiting to be made; what is asked for beyond that has to be asked for again.
    static let maximumJobCount = 1_000

    private enum Job {
        case make(VariantKey, Resource)
        case tidy(StoreSnapshot)
    }

    private struct State {
        var jobs: [Job] = []
        /// What waits, is under way or has been tried.
        var taken: Set<VariantKey> = []
        var isWorking = false
        var isStopped = false
        /// Whether the store could not be written: then nothing is made until it changes.
        var isFailing = false
        /// Whether that was said.
        var hasReported = false
    }

    private let store: VariantStore
    private let logger: Logger
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - store: Where the forms are kept.
    ///   - start: Runs its argument on another thread, which it may take for as long as it likes.
    init(
        _ store: VariantStore,
        logger: Logger,
        start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = BackgroundThread.start
    ) {
        self.store = store
        self.logger = logger
        self.start = start
    }

    /// Rises when an answer may be another one than before because of what was made, or went away.
    var generation: UInt64 { store.generation }

    func variants(of resource: Resource, for accepted: AcceptEncoding) -> [ContentVariant] {
        let digest = resource.asset.digest
        let contents = store.contents(of: digest)
        if let best = accepted.first(where: { $0 != .identity }), contents[best] == nil {
            want(VariantKey(digest, best), resource)
        }
        return contents.map { ContentVariant($0.key, $0.value, of: digest) }
    }

    /// Forgets what belongs to contents that the store has no more, and what could not be made: there may be room now.
    func storeChanged(to snapshot: StoreSnapshot) {
        add(.tidy(snapshot))
    }

    /// Waits for the end of the endpoint and then begins nothing any more.
    func run() async {
        try? await gracefulShutdown()
        state.withLock { state in
            state.isStopped = true
            state.jobs = []
        }
    }

    private func want(_ key: VariantKey, _ resource: Resource) {
        let isNew = state.withLock { state in
            state.jobs.count < Self.maximumJobCount && state.taken.insert(key).inserted
        }
        if isNew, !store.isSettled(key) { add(.make(key, resource)) }
    }

    private func add(_ job: Job) {
        let isIdle = state.withLock { state in
            guard !state.isStopped else { return false }
            state.jobs.append(job)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if isIdle { start { self.work() } }
    }

    /// Does one job after the other until there is none.
    private func work() {
        while let job = nextJob() {
            switch job {
            case .make(let key, let resource): make(key, resource)
            case .tidy(let snapshot): tidy(snapshot)
            }
        }
    }

    private func nextJob() -> Job? {
        state.withLock { state in
            guard state.jobs.isEmpty else { return state.jobs.removeFirst() }
            state.isWorking = false
            return nil
        }
    }

    private func tidy(_ snapshot: StoreSnapshot) {
        store.removeSuperfluous(in: snapshot)
        state.withLock { state in
            state.taken = Set(
                state.jobs.compactMap { if case .make(let key, _) = $0 { key } else { nil } }
            )
            state.isFailing = false
        }
    }

    private func make(_ key: VariantKey, _ resource: Resource) {
        if let own = ownForm(key.coding, of: resource) { return store.adopt(own, as: key) }
        guard resource.isWorthCoding, !store.load(key), !state.withLock(\.isFailing) else { return }
        let contents = resource.contents
        let coded = contents.withUnsafeBytes { ContentEncoder.encode($0, as: key.coding, within: $0.count - 1) }
        do {
            try store.save(coded ?? [], as: key)
        } catch let error as BundleError where error.code == .storeBusy {
            // Asked for again, it is made again.
            state.withLock { _ = $0.taken.remove(key) }
        } catch {
            fail(error)
        }
    }

    /// The publisher's own coded form. One that is something else is passed over: what a page gets must not depend on the
    /// codings that its browser takes.
    private func ownForm(_ coding: ContentCoding, of resource: Resource) -> ByteSlice? {
        guard let sibling = resource.sibling(coding), let own = sibling.contents else { return nil }
        let isSame = own.withUnsafeBytes { own in
            resource.contents.withUnsafeBytes { ContentDecoder.decodes(own, to: $0, from: coding) }
        }
        if isSame { return own }
        let release = sibling.release
        logger.warning(
            """
            \(release.name)@\(release.version) \(Printable.text(sibling.path)): not \(Printable.text(resource.asset.path)) in \
            \(coding.token), so it is served under its own name only
            """
        )
        return nil
    }

    /// Says it once.
    private func fail(_ error: any Error) {
        let isNews = state.withLock { state in
            defer { (state.isFailing, state.hasReported) = (true, true) }
            return !state.hasReported && !state.isStopped
        }
        if isNews { logger.warning("files are sent uncompressed, for their coded forms can't be kept: \(error)") }
    }
}
