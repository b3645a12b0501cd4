import HTTPCore
import HTTPTypes

/// A request and its response on a connection. Used on the event loop only.
final class Exchange {
    let request: EncodedRequest
    /// Nil when nobody reads it.
    var response: PendingResponse?
    var progress = ExchangeFailure.Progress.notSent
    /// The head, when it has arrived.
    var head: ResponseHead? {
        didSet { isLongLived = isTunnel || isEventStream }
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

    private var isEventStream: Bool {
        head?.response.headerFields[.contentType]?.lowercased().hasPrefix("text/event-stream") == true
    }
}
