import BundleServing
import BundleStore

/// A body that is stored while a client reads it. When it ends, `onEnd` is called before the client sees that; when it
/// breaks off, the client leaves, or it can't be stored, nothing is kept.
struct StoringBody: AsyncSequence, Sendable {
    private let body: BodyStream
    private let spool: CachedBodyWriter
    private let maximumByteCount: Int64
    private let onEnd: @Sendable (CachedBodyWriter) async -> Void

    init(
        _ body: BodyStream,
        into spool: CachedBodyWriter,
        maximumByteCount: Int64,
        onEnd: @escaping @Sendable (CachedBodyWriter) async -> Void
    ) {
        self.body = body
        self.spool = spool
        self.maximumByteCount = maximumByteCount
        self.onEnd = onEnd
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(storing: self, body: body.makeAsyncIterator()) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let storing: StoringBody
        fileprivate var body: BodyStream.AsyncIterator
        private var isStored = true

        fileprivate init(storing: StoringBody, body: BodyStream.AsyncIterator) {
            self.storing = storing
            self.body = body
        }

        mutating func next() async throws -> [UInt8]? {
            let chunk = try await body.next()
            if let chunk {
                if isStored, !(await storing.store(chunk)) {
                    isStored = false
                    storing.spool.discard()
                }
            } else if isStored {
                isStored = false
                await storing.onEnd(storing.spool)
            }
            return chunk
        }
    }

    /// Returns false when it can't be stored.
    private func store(_ chunk: [UInt8]) async -> Bool {
        let byteCount = spool.byteCount + Int64(chunk.count)
        guard byteCount <= maximumByteCount else { return false }
        guard byteCount > Int64(CachedBodyWriter.memoryByteCount) else { return (try? spool.append(chunk)) != nil }
        return await withTaskExecutorPreference(BlockingExecutor()) { (try? spool.append(chunk)) != nil }
    }
}
