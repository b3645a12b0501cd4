import BundleModel
import HTTPCore
import HTTPTypes
import Logging
import NIOCore

/// The content of a response that is being sent.
enum OutgoingBody {
    /// What a stream can send next.
    enum Readiness: Equatable {
        /// This many bytes; if `isEnd`, they are the last.
        case bytes(Int, isEnd: Bool)
        /// Nothing until more content arrives.
        case waiting
    }

    /// No content.
    case none
    /// Complete content; the bytes aren't copied until they are sent.
    case stored(BodyChunks)
    /// Content that is still arriving from an origin.
    case relayed(RelayedContent)

    func readiness(upTo limit: Int) -> Readiness {
        switch self {
        case .none: .bytes(0, isEnd: true)
        case .stored(let chunks):
            .bytes(min(limit, chunks.remainingByteCount), isEnd: chunks.remainingByteCount <= limit)
        case .relayed(let body): body.readiness(upTo: limit)
        }
    }

    /// Moves as many bytes as ``readiness(upTo:)`` returned to `output`.
    mutating func write(_ count: Int, to output: inout ByteBuffer) {
        switch self {
        case .none: break
        case .stored(var chunks):
            self = .none
            chunks.write(upTo: count, to: &output)
            self = .stored(chunks)
        case .relayed(let body): body.write(count, to: &output)
        }
    }

    /// Whether some of the written bytes could not be read and are zeros.
    var hasFaulted: Bool {
        if case .stored(let chunks) = self { chunks.hasFaulted } else { false }
    }

    /// The trailer fields, once the content has ended; empty before, and without any.
    var trailers: HTTPFields {
        if case .relayed(let body) = self { body.trailers } else { [:] }
    }

    /// Cancels content that is still arriving.
    func cancel() {
        if case .relayed(let body) = self { body.cancel() }
    }
}

/// Copies a body into buffers of limited size, one at a time, so that a long one is never in memory as a whole.
struct BodyChunks: Sequence, IteratorProtocol {
    /// The size of a chunk in bytes; only the last is shorter.
    static let maximumByteCount = 256 << 10

    private let body: ResponseBody
    private var partIndex = 0
    private var offset = 0
    /// The number of bytes not copied yet.
    private(set) var remainingByteCount: Int

    /// Whether some of the copied bytes could not be read and are zeros.
    var hasFaulted: Bool { body.hasFaulted }

    init(_ body: ResponseBody) {
        self.body = body
        remainingByteCount = body.byteCount
    }

    mutating func next() -> ByteBuffer? {
        guard remainingByteCount > 0 else { return nil }
        let count = Swift.min(remainingByteCount, Self.maximumByteCount)
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        write(upTo: count, to: &buffer)
        return buffer
    }

    /// Copies the next `limit` bytes, or all that remain.
    mutating func write(upTo limit: Int, to buffer: inout ByteBuffer) {
        var limit = Swift.min(limit, remainingByteCount)
        while limit > 0 { limit -= writePart(upTo: limit, to: &buffer) }
    }

    /// Copies from one part, which is never empty.
    private mutating func writePart(upTo limit: Int, to buffer: inout ByteBuffer) -> Int {
        let part = body.parts[partIndex]
        let count = Swift.min(part.count - offset, limit)
        part[offset..<offset + count].withUnsafeBytes { _ = buffer.writeBytes($0) }
        remainingByteCount -= count
        offset += count
        if offset == part.count { (partIndex, offset) = (partIndex + 1, 0) }
        return count
    }
}

/// Content from an origin that is sent as it arrives: one chunk at a time, the next one once it has been written, so
/// that a client that reads nothing costs no more than one chunk. For use on the connection's event loop.
final class RelayedContent {
    private var chunk = ByteBuffer()
    private var isEnded = false
    private var isCancelled = false
    /// Whether the rest won't come.
    private(set) var isCut = false
    /// The trailer fields, once no chunk follows.
    private(set) var trailers = HTTPFields()
    private var taken: CheckedContinuation<Void, any Error>?

    /// Takes a chunk; `isTaken` returns when it has been written, and throws if it never will be.
    func offer(_ chunk: ByteBuffer, _ isTaken: CheckedContinuation<Void, any Error>) {
        guard !isCancelled else { return isTaken.resume(throwing: CancellationError()) }
        self.chunk = chunk
        taken = isTaken
        if chunk.readableBytes == 0 { finishChunk() }
    }

    /// No chunk follows.
    ///
    /// - Parameter trailers: As the origin sent them.
    func end(_ trailers: HTTPFields = [:]) {
        isEnded = true
        self.trailers = trailers.asTrailers
    }

    /// Whether more is awaited from the origin.
    var isWaiting: Bool { readiness(upTo: 1) == .waiting }

    /// The rest won't come.
    func cut() {
        isCut = true
    }

    /// Nothing of it is wanted any more.
    func cancel() {
        isCancelled = true
        chunk = ByteBuffer()
        taken?.resume(throwing: CancellationError())
        taken = nil
    }

    func readiness(upTo limit: Int) -> OutgoingBody.Readiness {
        if chunk.readableBytes == 0, !isEnded { return .waiting }
        return .bytes(min(limit, chunk.readableBytes), isEnd: isEnded && chunk.readableBytes <= limit)
    }

    func write(_ count: Int, to output: inout ByteBuffer) {
        guard var part = chunk.readSlice(length: count) else { return }
        output.writeBuffer(&part)
        if chunk.readableBytes == 0 { finishChunk() }
    }

    private func finishChunk() {
        taken?.resume()
        taken = nil
    }
}

extension RelayedContent {
    /// Takes an origin's body as fast as the client takes it. Cancelling the task ends that.
    ///
    /// - Parameters:
    ///   - path: What the body is of, for the log.
    ///   - loop: The connection's event loop, on which this is called.
    ///   - executor: Runs tasks on the event loop.
    ///   - onChange: Called on the event loop when there is more to send, when the end has come, and when the body was cut.
    func relay(
        _ body: BodyStream,
        of path: String,
        on loop: any EventLoop,
        _ executor: EventLoopExecutor,
        _ logger: Logger,
        onChange: @escaping () -> Void
    ) -> Task<Void, Never> {
        let bound = NIOLoopBound((self, onChange), eventLoop: loop)
        return Task(executorPreference: executor) {
            var isWhole = true
            do {
                for try await chunk in body {
                    try await withCheckedThrowingContinuation { isTaken in
                        let (content, onChange) = bound.value
                        content.offer(ByteBuffer(bytes: chunk), isTaken)
                        onChange()
                    }
                }
            } catch {
                isWhole = false
                if let error = error as? BundleError {
                    logger.notice("\(Printable.text(path)) was cut short: \(error)")
                }
            }
            let (content, onChange) = bound.value
            if isWhole { content.end(body.trailers) } else { content.cut() }
            onChange()
        }
    }
}
