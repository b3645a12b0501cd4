import HTTPTypes
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
