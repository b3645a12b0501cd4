import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// The event streams (WHATWG HTML, “Server-sent events”) that tell pages of changes of their bundles. Thread-safe.
final class PageStreams: Sendable {
    /// How many streams may be open, and how many of one client.
    static let (maximumCount, maximumCountPerClient) = (256, 64)
    /// How often each stream gets a comment, so that proxies keep it open and closed ones are noticed.
    static let heartbeat: Duration = .seconds(15)

    private struct Stream {
        let name: BundleName
        let client: PeerAddress?
        let continuation: AsyncStream<[UInt8]>.Continuation
        /// What was sent last; nil before the first.
        var state: PageState?
    }

    private struct State {
        var streams: [Int: Stream] = [:]
        var lastNumber = 0
        var hasEnded = false
        var beatAt = Duration.zero
    }

    private let reader: PageStateReader
    private let store: BundleStore
    private let state = Mutex(State())

    init(_ store: BundleStore) {
        self.store = store
        reader = PageStateReader(store: store)
    }

    /// Opens a stream, which begins with the present state, unless the page says that it knows that already. Reads the
    /// catalog. A client that has as many as it may loses its oldest: pages that are gone may not have been noticed yet, and
    /// a browser opens a stream again that it still needs.
    ///
    /// - Parameter client: Nil for a Unix socket: what connects to that is a proxy for many.
    func open(of name: BundleName, _ request: HTTPRequest, from client: PeerAddress?) -> ServedResponse {
        guard store.snapshot.bundles[name] != nil else {
            return Self.refusal(.notFound, "There is no such bundle any more.")
        }
        let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(16))
        continuation.yield(Array("retry: 5000\n\n".utf8))
        guard let (number, displaced) = add(Stream(name: name, client: client, continuation: continuation)) else {
            return Self.refusal(.serviceUnavailable, "Too many streams are open.")
        }
        // Not under the lock, which the end of a stream takes.
        displaced?.finish()
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        begin(number, of: name, knowing: request.headerFields[.lastEventID])
        let fields: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ]
        return .streaming(
            HTTPResponse(status: .ok, headerFields: fields),
            BodyStream(chunks),
            ResponseSource(.server)
        )
    }

    /// Sends a stream the present state, which is read once the stream is there: a change comes before that, or to the
    /// stream.
    private func begin(_ number: Int, of name: BundleName, knowing lastID: String?) {
        guard let now = store.snapshot.bundles[name].map(reader.state) else { return }
        let continuation = state.withLock { state -> AsyncStream<[UInt8]>.Continuation? in
            guard let stream = state.streams[number], stream.state == nil else { return nil }
            state.streams[number]?.state = now
            return stream.continuation
        }
        if lastID != now.identifier { continuation?.yield(now.event) }
    }

    /// Tells the streams whose bundles have changed. Reads the catalog.
    func storeChanged(to snapshot: StoreSnapshot) {
        let names = Set(state.withLock { $0.streams.values.map(\.name) })
        var states: [BundleName: PageState] = [:]
        for name in names { states[name] = snapshot.bundles[name].map(reader.state) }
        let changed = state.withLock { state in
            var changed: [(AsyncStream<[UInt8]>.Continuation, [UInt8])] = []
            for (number, stream) in state.streams {
                guard let now = states[stream.name], now != stream.state else { continue }
                state.streams[number]?.state = now
                changed.append((stream.continuation, now.event))
            }
            return changed
        }
        for (continuation, event) in changed { continuation.yield(event) }
    }

    /// Ends all streams, and opens no more.
    func end() {
        let streams = state.withLock { state in
            state.hasEnded = true
            return state.streams.values.map(\.continuation)
        }
        // Not under the lock, which the end of a stream takes.
        for continuation in streams { continuation.finish() }
    }

    /// Sends each stream a comment, if it is time for that.
    ///
    /// - Parameter now: The time since a fixed moment.
    func beat(at now: Duration) {
        let streams = state.withLock { state -> [AsyncStream<[UInt8]>.Continuation] in
            guard now - state.beatAt >= Self.heartbeat else { return [] }
            state.beatAt = now
            return state.streams.values.map(\.continuation)
        }
        for continuation in streams { continuation.yield(Array(":\n\n".utf8)) }
    }

    /// Adds a stream, and takes the oldest of its client away if that has as many as it may. Nil when there are too many.
    private func add(_ stream: Stream) -> (number: Int, displaced: AsyncStream<[UInt8]>.Continuation?)? {
        state.withLock { state in
            guard !state.hasEnded else { return nil }
            let own = state.streams.filter { stream.client != nil && $0.value.client == stream.client }.keys
            let oldest = own.count < Self.maximumCountPerClient ? nil : own.min()
            let displaced = oldest.flatMap { state.streams.removeValue(forKey: $0)?.continuation }
            guard state.streams.count < Self.maximumCount else { return nil }
            state.lastNumber += 1
            state.streams[state.lastNumber] = stream
            return (state.lastNumber, displaced)
        }
    }

    private func remove(_ number: Int) {
        state.withLock { state in state.streams[number] = nil }
    }

    private static func refusal(_ status: HTTPResponse.Status, _ text: String) -> ServedResponse {
        .complete(.plain(status, text, fields: [.retryAfter: "30"]), ResponseSource(.server))
    }
}

extension PageState {
    /// Tells states from each other.
    fileprivate var identifier: String { String(Digest(of: Array(document.utf8)).hex.prefix(16)) }

    /// The state as an event.
    fileprivate var event: [UInt8] { Array("id: \(identifier)\ndata: \(document)\n\n".utf8) }
}
