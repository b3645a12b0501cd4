import HTTPCore
import HTTPTypes
import NIOCore

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
