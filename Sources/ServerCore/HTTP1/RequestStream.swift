import BundleServing

/// The position in a connection's input: in a request's head, or in content of known or unknown length.
struct RequestStream {
    private enum Place {
        case head
        case content(remaining: Int)
        /// Chunked content, which isn't parsed; the connection ends after it.
        case chunks
    }

    private var place = Place.head

    /// Whether the next byte belongs to a head.
    var isAtHead: Bool { if case .head = place { true } else { false } }

    /// Moves past a head.
    mutating func pass(_ head: RequestHead) {
        switch head.framing {
        case .none: place = .head
        case .length(let count): place = count > 0 ? .content(remaining: count) : .head
        case .chunked: place = .chunks
        }
    }

    /// Moves past content. Returns how many of `available` bytes are content.
    mutating func passContent(_ available: Int) -> Int {
        switch place {
        case .head: return 0
        case .chunks: return available
        case .content(let remaining):
            let count = min(remaining, available)
            place = count == remaining ? .head : .content(remaining: remaining - count)
            return count
        }
    }
}
