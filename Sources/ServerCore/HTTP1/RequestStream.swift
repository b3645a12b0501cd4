import BundleServing

/// Where in a connection's bytes one is: in a request's head, or in content whose end is known, or not.
struct RequestStream {
    private enum Place {
        case head
        case content(remaining: Int)
        /// In chunks, whose end only their parser finds; the connection is over after them.
        case chunks
    }

    private var place = Place.head

    /// Whether the next byte is one of a head.
    var isAtHead: Bool { if case .head = place { true } else { false } }

    /// Goes behind a head.
    mutating func pass(_ head: RequestHead) {
        switch head.framing {
        case .none: place = .head
        case .length(let count): place = count > 0 ? .content(remaining: count) : .head
        case .chunked: place = .chunks
        }
    }

    /// Goes behind content. Returns how many of `available` bytes are content.
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
