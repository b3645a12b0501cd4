import HTTPCore
import HTTPTypes
import NIOCore

/// A request and its response on a connection. Used on the event loop only.
final class Exchange {
    let request: EncodedRequest
    /// Nil when nobody reads it.
    var response: PendingResponse?
    var progress = ExchangeFailure.Progress.notSent
    /// The head, when it has arrived.
    var head: ResponseHead? {
        didSet { isLongLived = isTunnel || head?.response.isEventStream == true }
    }
    /// What has arrived and isn't delivered.
    var batch = ResponseBatch()
    var upload: ClientConnection.Upload
    var contentTask: Task<Void, Never>?
    /// Whether nothing more is sent in the other protocol.
    var hasEndedOutput = false

    init(request: EncodedRequest, response: PendingResponse) {
        self.request = request
        self.response = response
        upload =
            switch request.framing {
            case .none: .complete
            // Nothing follows the head.
            case .length(0) where !request.expectsContinue: .complete
            case .length, .chunked: request.expectsContinue ? .awaitingContinue : .awaitingContent
            }
    }

    /// Whether the connection carries another protocol.
    var isTunnel: Bool { head?.response.status.code == 101 }

    /// Whether silence is no failure: of another protocol, and of an event stream, which lasts as long as the page.
    private(set) var isLongLived = false
}

/// What one read brought of a response.
struct ResponseBatch {
    var head: ResponseHead?
    var content: [UInt8] = []
    /// The trailer fields, if this is the end.
    var end: HTTPFields?

    var isEmpty: Bool { head == nil && content.isEmpty && end == nil }
}

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
