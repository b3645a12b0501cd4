/// What a client reads from a relay. When the client drops it, the relay is closed.
struct RelayedBody: AsyncSequence, Sendable {
    /// Deallocated with the client's last reference.
    fileprivate final class Client: Sendable {
        let relay: BodyRelay

        init(_ relay: BodyRelay) {
            self.relay = relay
        }

        deinit { relay.close() }
    }

    private let client: Client

    init(_ relay: BodyRelay) {
        client = Client(relay)
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(client: client) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let client: Client

        func next() async throws -> [UInt8]? { try await client.relay.next() }
    }
}
