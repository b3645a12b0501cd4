import BundleNetwork
import BundleServing
import Synchronization

/// Responses from bundles in the form that HTTP/2 sends, by the fields of the requests that they are for: a page's scripts and
/// images are asked for again and again in the same words. Thread-safe.
///
/// An entry keeps its file from being freed, so everything is forgotten when the store changes, which connections look for
/// now and then, and when the last connection has gone.
final class HTTP2ResponseCache: Sendable {
    /// A head, and the content as it is in the store.
    struct Entry: Sendable {
        let head: HTTP2ResponseHead
        let body: ResponseBody
        let source: ResponseSource

        init(_ response: Response, _ source: ResponseSource) {
            head = HTTP2ResponseHead(response.head)
            body = response.body
            self.source = source
        }
    }

    /// An entry takes about 1 KB, and 512 bytes at most for what it is kept under.
    private static let maximumCount = 8_192
    private static let maximumKeyByteCount = 512

    fileprivate struct State {
        var generation: Int64 = .min
        var connectionCount = 0
        var entries: [[UInt8]: Entry] = [:]
    }

    private let state = Mutex(State())

    /// A connection begins that uses the responses.
    func enter() {
        state.withLock { $0.connectionCount += 1 }
    }

    /// A connection has ended.
    func leave() {
        state.withLock { state in
            state.connectionCount -= 1
            if state.connectionCount == 0 { state.entries = [:] }
        }
    }

    /// Lets go of what another state of the store answered.
    func forget(before generation: Int64) {
        state.withLock { $0.advance(to: generation) }
    }

    /// - Parameters:
    ///   - fields: All fields that may decide the response, see ``HTTP2FieldBlock/decisive``.
    ///   - generation: What the store holds now.
    func entry(for fields: HTTP2FieldBytes, at generation: Int64) -> Entry? {
        state.withLock { state in
            state.advance(to: generation)
            return state.generation == generation ? state.entries[fields.bytes] : nil
        }
    }

    /// - Parameter generation: What the store held before the response was looked for.
    func insert(_ entry: Entry, for fields: HTTP2FieldBytes, at generation: Int64) {
        guard fields.bytes.count <= Self.maximumKeyByteCount else { return }
        state.withLock { state in
            state.advance(to: generation)
            guard state.generation == generation else { return }
            // Made anew in no time; a list of what was used last would cost every request.
            if state.entries.count >= Self.maximumCount { state.entries.removeAll() }
            state.entries[fields.bytes] = entry
        }
    }
}

extension HTTP2ResponseCache.State {
    fileprivate mutating func advance(to generation: Int64) {
        guard generation > self.generation else { return }
        self.generation = generation
        entries.removeAll()
    }
}
