import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// The event streams (WHATWG HTML, “Server-sent events”) that tell pages of changes of their bundles. Thread-safe.
final class PageStreams: Sendable {
    /// How many streams may be open.
    static let maximumCount = 256
    /// How often each stream gets a comment, so that proxies keep it open and closed ones are noticed.
    static let heartbeat: Duration = .seconds(15)

    private struct Stream {
        let name: BundleName
        let continuation: AsyncStream<[UInt8]>.Continuation
        /// What was sent last.
        var state: PageState
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
    /// catalog.
    func open(of name: BundleName, _ request: HTTPRequest) -> ServedResponse {
        guard let bundle = store.snapshot.bundles[name] else {
            return Self.refusal(.notFound, "There is no such bundle any more.")
        }
        let now = reader.state(of: bundle)
        let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(16))
        guard let number = add(Stream(name: name, continuation: continuation, state: now)) else {
            return Self.refusal(.serviceUnavailable, "Too many streams are open.")
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        continuation.yield(Array("retry: 5000\n\n".utf8))
        let lastID = HTTPField.Name("Last-Event-ID").flatMap { request.headerFields[$0] }
        if lastID != now.identifier { continuation.yield(now.event) }
        let fields: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ]
        return .streaming(
            HTTPResponse(status: .ok, headerFields: fields),
            BodyStream(chunks),
            ResponseSource(.server)
        )
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

    /// Nil when there are too many.
    private func add(_ stream: Stream) -> Int? {
        state.withLock { state in
            guard !state.hasEnded, state.streams.count < Self.maximumCount else { return nil }
            state.lastNumber += 1
            state.streams[state.lastNumber] = stream
            return state.lastNumber
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
