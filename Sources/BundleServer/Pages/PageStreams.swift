import BundleServing
import BundleStore
import HTTPTypes

/// The event streams that tell pages of changes of their bundles. Thread-safe.
final class PageStreams: Sendable {
    /// How many streams may be open, and how many of one client.
    static let limits = EventStreamLimits(count: 256, countPerClient: 64, heldCount: 16)

    private let reader: PageStateReader
    private let store: BundleStore
    private let streams = EventStreams<BundleName>(limits)

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

    /// Ends all streams, and opens no more.
    func end() { streams.end() }

    /// Sends each stream a comment, if it is time for that.
    ///
    /// - Parameter now: The time since a fixed moment.
    func beat(at now: Duration) { streams.beat(at: now) }
}

extension PageState {
    fileprivate var event: StreamEvent { StreamEvent(document) }
}
