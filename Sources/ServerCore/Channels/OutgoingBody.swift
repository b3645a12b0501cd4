import NIOCore

/// The content of a response on its way out.
enum OutgoingBody {
    /// What a stream has to send next.
    enum Readiness: Equatable {
        /// So many bytes; with the last of them the stream ends.
        case bytes(Int, isEnd: Bool)
        /// Nothing before more has come.
        case waiting
    }

    /// No content.
    case none
    /// Content that is all there; the bytes stay where they are until they are sent.
    case stored(BodyChunks)
    /// Content that is still coming from an origin.
    case relayed(RelayedContent)

    func readiness(upTo limit: Int) -> Readiness {
        switch self {
        case .none: .bytes(0, isEnd: true)
        case .stored(let chunks):
            .bytes(min(limit, chunks.remainingByteCount), isEnd: chunks.remainingByteCount <= limit)
        case .relayed(let body): body.readiness(upTo: limit)
        }
    }

    /// Moves so many bytes, as ``readiness(upTo:)`` had them, to `output`.
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

    /// Whether some of the written bytes could not be read, and are zeros.
    var hasFaulted: Bool {
        if case .stored(let chunks) = self { chunks.hasFaulted } else { false }
    }

    /// Nothing of it is wanted any more.
    func cancel() {
        if case .relayed(let body) = self { body.cancel() }
    }
}
