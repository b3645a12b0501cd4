import BundleServing
import BundleStore
import HTTPTypes
import Synchronization

/// Open event streams (WHATWG HTML, “Server-sent events”), each of which tells the states of one subject. Thread-safe.
final class EventStreams<Subject: Hashable & Sendable>: Sendable {
    private typealias Continuation = AsyncStream<[UInt8]>.Continuation

    private struct Stream {
        let subject: Subject
        let client: PeerAddress?
        let continuation: Continuation
        /// What was sent last; nil before the first.
        var event: StreamEvent?
    }

    private struct State {
        var streams: [Int: Stream] = [:]
        var lastNumber = 0
        var hasEnded = false
        var beatAt = Duration.zero
    }

    private let limits: EventStreamLimits
    private let state = Mutex(State())

    init(_ limits: EventStreamLimits) {
        self.limits = limits
    }

    /// What the open streams are about.
    var subjects: Set<Subject> { Set(state.withLock { $0.streams.values.map(\.subject) }) }

    /// Opens a stream, which begins with the present state, unless the client knows that already. A client that has as many
    /// as it may loses its oldest: pages that are gone may not have been noticed yet, and a browser opens a stream again
    /// that it still needs.
    ///
    /// - Parameters:
    ///   - lastID: The identifier of the state that the client knows.
    ///   - client: Nil for a Unix socket: what connects to that is a proxy for many.
    ///   - current: Reads the state, once the stream is there: a change comes before that, or to the stream. Nil when the first
    ///     state is sent later.
    func open(
        _ subject: Subject,
        knowing lastID: String?,
        from client: PeerAddress?,
        beginningWith current: () -> StreamEvent?
    ) -> ServedResponse {
        let (chunks, continuation) = AsyncStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingNewest(limits.heldCount)
        )
        continuation.yield(Array("retry: 5000\n\n".utf8))
        guard let (number, displaced) = add(Stream(subject: subject, client: client, continuation: continuation)) else {
            return Self.refusal(.serviceUnavailable, "Too many streams are open.")
        }
        // Not under the lock, which the end of a stream takes.
        displaced?.finish()
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        if let event = current() { begin(number, with: event, knowing: lastID) }
        let fields: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ]
        return .streaming(
            HTTPResponse(status: .ok, headerFields: fields),
            BodyStream(chunks),
            ResponseSource(.server)
        )
    }

    private func begin(_ number: Int, with event: StreamEvent, knowing lastID: String?) {
        let continuation = state.withLock { state -> Continuation? in
            guard let stream = state.streams[number], stream.event == nil else { return nil }
            state.streams[number]?.event = event
            return stream.continuation
        }
        if lastID != event.identifier { continuation?.yield(event.bytes) }
    }

    /// Sends each stream the state of its subject, unless that is what was sent last.
    func send(_ events: [Subject: StreamEvent]) {
        let changed = state.withLock { state in
            var changed: [(Continuation, StreamEvent)] = []
            for (number, stream) in state.streams {
                guard let event = events[stream.subject], event != stream.event else { continue }
                state.streams[number]?.event = event
                changed.append((stream.continuation, event))
            }
            return changed
        }
        for (continuation, event) in changed { continuation.yield(event.bytes) }
    }

    /// Ends all streams, and opens no more.
    func end() {
        state.withLock { $0.hasEnded = true }
        endOpen()
    }

    /// Ends the streams that are open.
    func endOpen() {
        let streams = state.withLock { $0.streams.values.map(\.continuation) }
        // Not under the lock, which the end of a stream takes.
        for continuation in streams { continuation.finish() }
    }

    /// Sends each stream a comment, if it is time for that.
    ///
    /// - Parameter now: The time since a fixed moment.
    func beat(at now: Duration) {
        let streams = state.withLock { state -> [Continuation] in
            guard now - state.beatAt >= EventStreamLimits.heartbeat else { return [] }
            state.beatAt = now
            return state.streams.values.map(\.continuation)
        }
        for continuation in streams { continuation.yield(Array(":\n\n".utf8)) }
    }

    /// Adds a stream, and takes the oldest of its client away if that has as many as it may. Nil when there are too many.
    private func add(_ stream: Stream) -> (number: Int, displaced: Continuation?)? {
        state.withLock { state in
            guard !state.hasEnded else { return nil }
            let own = state.streams.filter { stream.client != nil && $0.value.client == stream.client }.keys
            let oldest = own.count < limits.countPerClient ? nil : own.min()
            let displaced = oldest.flatMap { state.streams.removeValue(forKey: $0)?.continuation }
            guard state.streams.count < limits.count else { return nil }
            state.lastNumber += 1
            state.streams[state.lastNumber] = stream
            return (state.lastNumber, displaced)
        }
    }

    private func remove(_ number: Int) {
        state.withLock { state in state.streams[number] = nil }
    }

    /// A stream that isn't opened.
    static func refusal(_ status: HTTPResponse.Status, _ text: String) -> ServedResponse {
        .complete(.plain(status, text, fields: [.retryAfter: "30"]), ResponseSource(.server))
    }
}

/// How many event streams there may be. A value type.
struct EventStreamLimits: Sendable {
    /// How often each stream gets a comment, so that proxies keep it open and closed ones are noticed.
    static let heartbeat: Duration = .seconds(15)

    /// How many may be open.
    let count: Int
    /// How many of one client.
    let countPerClient: Int
    /// How many events wait for a client that takes none; the oldest are dropped, since each tells the whole state.
    let heldCount: Int
}

/// What an event stream tells: a state as one line of JSON. A value type.
struct StreamEvent: Equatable, Sendable {
    /// Without line breaks, as ``/BundleModel/JSONDocument`` writes a line.
    let document: String
    /// Tells states from each other.
    let identifier: String

    init(_ document: String) {
        self.document = document
        identifier = String(Digest(of: Array(document.utf8)).hex.prefix(16))
    }

    /// As it is sent (WHATWG HTML, “Interpreting an event stream”).
    var bytes: [UInt8] { Array("id: \(identifier)\ndata: \(document)\n\n".utf8) }
}
