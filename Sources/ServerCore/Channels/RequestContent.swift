import HTTPCore
import HTTPTypes
import NIOCore
import Synchronization

/// What a client sends behind a request's head, on its way to the responder: content, or the bytes of a tunnel. It is taken
/// from the connection only as fast as it is read. For use on the connection's event loop, except for ``stream``.
final class RequestContent {
    /// The trailer fields, for the reader's thread.
    private final class Trailers: Sendable {
        let fields = Mutex(HTTPFields())
    }

    private let loop: any EventLoop
    private let trailers = Trailers()
    /// What has become of it; nil while more may come.
    private var outcome: Result<Void, any Error>?
    /// The last bytes, which no reader has asked for yet.
    private var rest: [UInt8]?
    private var reader: EventLoopPromise<[UInt8]?>?
    private var isReaderCancelled = false
    /// Called when bytes are wanted, until the end.
    private var onDemand: (() -> Void)?

    /// - Parameter onDemand: Called when bytes are wanted: then ``deliver(_:)``, ``end(_:)`` or ``fail()`` has to follow.
    init(on loop: any EventLoop, onDemand: @escaping () -> Void) {
        self.loop = loop
        self.onDemand = onDemand
    }

    /// Whether a reader waits for bytes.
    var isWanted: Bool { reader != nil }

    /// Whether all of it has been taken from the connection.
    var isEnded: Bool { outcome != nil }

    /// The reader's side; to be read once, by one task.
    var stream: BodyStream {
        let trailers = trailers
        return BodyStream(Chunks(content: NIOLoopBound(self, eventLoop: loop), loop: loop)) {
            trailers.fields.withLock { $0 }
        }
    }

    /// Gives the waiting reader the next bytes, at least one.
    func deliver(_ bytes: [UInt8]) {
        reader?.succeed(bytes)
        reader = nil
    }

    /// Nothing follows.
    func end(_ fields: HTTPFields = [:]) {
        guard outcome == nil else { return }
        trailers.fields.withLock { $0 = fields }
        finish(.success(()))
    }

    /// These bytes follow, and nothing else.
    func end(after bytes: [UInt8]) {
        guard outcome == nil else { return }
        if isWanted, !bytes.isEmpty { deliver(bytes) } else { rest = bytes.isEmpty ? nil : bytes }
        end()
    }

    /// The rest won't come, or isn't wanted any more.
    func fail() { finish(.failure(CancellationError())) }

    private func finish(_ outcome: Result<Void, any Error>) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        onDemand = nil
        guard let reader else { return }
        self.reader = nil
        reader.completeWith(outcome.map { nil })
    }

    private func next() -> EventLoopFuture<[UInt8]?> {
        // A second reader gets nothing.
        guard !isReaderCancelled, reader == nil else { return loop.makeFailedFuture(CancellationError()) }
        if let rest = rest.take() { return loop.makeSucceededFuture(rest) }
        if let outcome { return loop.makeCompletedFuture(outcome.map { nil }) }
        let promise = loop.makePromise(of: [UInt8]?.self)
        reader = promise
        onDemand?()
        return promise.futureResult
    }

    private func cancelReader() {
        isReaderCancelled = true
        reader?.fail(CancellationError())
        reader = nil
    }

    private struct Chunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let content: NIOLoopBound<RequestContent>
        let loop: any EventLoop

        func makeAsyncIterator() -> Chunks { self }

        func next() async throws -> [UInt8]? {
            try await withTaskCancellationHandler {
                try await loop.flatSubmit { content.value.next() }.get()
            } onCancel: {
                loop.execute { content.value.cancelReader() }
            }
        }
    }
}
