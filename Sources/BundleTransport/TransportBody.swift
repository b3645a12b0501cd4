import AsyncHTTPClient
import NIOCore

/// A body from AsyncHTTPClient as arrays of bytes, with errors that name the origin.
///
/// The client reads from the socket only when the next chunk is requested, and closes the connection when the iterator
/// is released before the end.
struct TransportBody: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body
    let failure: TransportFailure

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: body.makeAsyncIterator(), failure: failure)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var chunks: HTTPClientResponse.Body.AsyncIterator
        let failure: TransportFailure

        mutating func next() async throws -> [UInt8]? {
            do {
                return try await chunks.next().map { Array($0.readableBytesView) }
            } catch {
                throw failure.error(from: error, during: .reading)
            }
        }
    }
}
