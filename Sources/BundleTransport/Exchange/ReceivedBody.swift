import HTTPCore

/// The content of a response, without its transfer coding, and with errors that name the origin.
struct ReceivedBody: AsyncSequence, Sendable {
    let owner: ResponseOwner
    let coding: TransferCoding?
    let failure: TransportFailure

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(owner: owner, coding: coding, failure: failure)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let owner: ResponseOwner
        let coding: TransferCoding?
        let failure: TransportFailure
        private var decoder: TransferDecoder?

        init(owner: ResponseOwner, coding: TransferCoding?, failure: TransportFailure) {
            self.owner = owner
            self.coding = coding
            self.failure = failure
        }

        mutating func next() async throws -> [UInt8]? {
            do {
                guard let coding else { return try await owner.response.next() }
                return try await nextDecoded(coding)
            } catch {
                throw failure.error(from: error, during: .reading)
            }
        }

        private mutating func nextDecoded(_ coding: TransferCoding) async throws -> [UInt8]? {
            let decoder = try decoder ?? TransferDecoder(coding)
            self.decoder = decoder
            while true {
                if let decoded = try decoder.next() { return decoded }
                guard let content = try await owner.response.next() else {
                    try decoder.checkEnd()
                    return nil
                }
                decoder.feed(content)
            }
        }
    }
}

/// Closes the connection of a response that nobody reads any more, and keeps those of the transport until then.
final class ResponseOwner: Sendable {
    let response: PendingResponse
    private let client: TransportClient

    init(_ response: PendingResponse, of client: TransportClient) {
        self.response = response
        self.client = client
    }

    deinit {
        response.abandon()
    }
}

extension Tunnel {
    /// The connection of a response with status 101.
    init(_ owner: ResponseOwner, _ failure: TransportFailure) {
        let (response, connection) = (owner.response, owner.response.connection)
        self.init(
            incoming: BodyStream(ReceivedBody(owner: owner, coding: nil, failure: failure)),
            send: { bytes in
                do {
                    try await withTaskCancellationHandler {
                        try await connection.write(bytes, of: response)
                    } onCancel: {
                        connection.loop.runNow { connection.cancel(response) }
                    }
                } catch {
                    throw Task.isCancelled ? CancellationError() : failure.error(from: error, during: .reading)
                }
            },
            end: { connection.loop.runNow { connection.endOutput(of: response) } }
        )
    }
}
