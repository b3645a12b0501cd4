import BundleServing
import BundleStore
import HTTPTypes
import ServiceLifecycle
import Synchronization

/// The event streams that tell pages of changes of their bundles. Thread-safe.
final class PageStreams: Sendable {
    /// How many streams may be open, and how many of one client.
    static let limits = EventStreamLimits(count: 256, countPerClient: 64, heldCount: 16)

    /// How often it is looked for what checks have found, while a stream is open.
    static let interval: Duration = .seconds(1)

    /// The last look at the journal; nil before the first.
    private struct Look {
        var time: Duration?
        /// The journal's last number.
        var number: Int64?
    }

    private let reader: PageStateReader
    private let store: BundleStore
    private let streams = EventStreams<BundleName>(limits)
    private let last = Mutex(Look())

    init(_ store: BundleStore) {
        self.store = store
        reader = PageStateReader(store: store)
    }

    /// Opens a stream, which begins with the present state, unless the page says that it knows that already. Reads the
    /// catalog.
    ///
    /// - Parameter client: Nil for a Unix socket: what connects to that is a proxy for many.
    func open(of name: BundleName, _ request: HTTPRequest, from client: PeerAddress?) -> ServedResponse {
        guard store.snapshot.bundles[name] != nil else {
            return EventStreams<BundleName>.refusal(.notFound, "There is no such bundle any more.")
        }
        let lastID = request.headerFields[.lastEventID]
        return streams.open(name, knowing: lastID, from: client) {
            store.snapshot.bundles[name].map { reader.state(of: $0).event }
        }
    }

    /// Tells the streams whose bundles have changed. Reads the catalog.
    func storeChanged(to snapshot: StoreSnapshot) {
        var events: [BundleName: StreamEvent] = [:]
        for name in streams.subjects { events[name] = snapshot.bundles[name].map { reader.state(of: $0).event } }
        streams.send(events)
    }

    /// Tells the streams what checks have found, those of other processes too, if it is time to look for that: a check makes
    /// no new snapshot. Reads the journal's last number, and more only when that has changed; nothing while no stream is open.
    ///
    /// - Parameter now: The time since a fixed moment.
    func look(at now: Duration) {
        guard !streams.subjects.isEmpty, isDue(at: now), let number = try? store.lastEventNumber(), isNew(number) else {
            return
        }
        storeChanged(to: store.snapshot)
    }

    private func isDue(at now: Duration) -> Bool {
        last.withLock { last in
            if let time = last.time, now - time < Self.interval { return false }
            last.time = now
            return true
        }
    }

    private func isNew(_ number: Int64) -> Bool {
        last.withLock { last in
            defer { last.number = number }
            return last.number != number
        }
    }

    /// Ends all streams, and opens no more.
    func end() { streams.end() }

    /// Sends each stream a comment, if it is time for that.
    ///
    /// - Parameter now: The time since a fixed moment.
    func beat(at now: Duration) { streams.beat(at: now) }
}

extension PageState {
    fileprivate var event: StreamEvent { StreamEvent(JSONDocument.line(of: self)) }
}

/// Ends the event streams when the server is shut down: none of them ends by itself.
struct PageStreamService: Service {
    let streams: PageStreams

    func run() async {
        // Throws only when the task is cancelled, which is also a reason to end them.
        try? await gracefulShutdown()
        streams.end()
    }
}
