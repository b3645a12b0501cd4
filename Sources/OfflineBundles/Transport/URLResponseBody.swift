/// The content of a response, read once.
struct URLResponseBody: AsyncSequence, Sendable {
    let owner: URLResponseOwner

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(owner: owner) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let owner: URLResponseOwner

        func next() async throws -> [UInt8]? { try await owner.response.next() }
    }
}
