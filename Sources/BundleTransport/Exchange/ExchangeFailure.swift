import NIOCore

/// Why a request got no response, and how far it came.
struct ExchangeFailure: Error {
    /// How far the request came.
    enum Progress {
        /// Nothing of it was sent.
        case notSent
        /// The origin may have received it, and has sent nothing.
        case sent
        /// The origin has sent something, or content was read that can't be read again.
        case received
    }

    let cause: any Error
    let progress: Progress

    /// Whether the origin closed a connection that was kept from an earlier request, most likely without having seen
    /// this one (RFC 9112 §9.3.1).
    var isOfClosedConnection: Bool {
        switch (progress, cause) {
        case (.notSent, _): true
        case (.sent, is IOError), (.sent, is ChannelError), (.sent, ConnectionProblem.closed): true
        default: false
        }
    }
}
