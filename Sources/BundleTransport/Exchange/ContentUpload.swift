import BundleModel
import HTTPCore

/// The sending of a request's content, as fast as the origin takes it.
struct ContentUpload: Sendable {
    let content: BodyStream
    let framing: ContentFraming
    let connection: ClientConnection
    let response: PendingResponse

    func run() async {
        do {
            try await send()
            connection.loop.runNow { connection.finishContent(of: response) }
        } catch {
            connection.loop.runNow { connection.failContent(error, of: response) }
        }
    }

    private func send() async throws {
        var rest = if case .length(let length) = framing { length } else { Int.max }
        var parts = content.makeAsyncIterator()
        while let part = try await next(&parts) {
            guard part.count <= rest else { throw wrongLength }
            if framing != .chunked { rest -= part.count }
            // An empty chunk would be the last one.
            if !part.isEmpty {
                try await connection.write(part, asChunk: framing == .chunked, isLast: rest == 0, of: response)
            }
        }
        guard framing == .chunked || rest == 0 else { throw wrongLength }
        if framing == .chunked {
            try await connection.write(EncodedRequest.lastChunk(content.trailers), isLast: true, of: response)
        }
    }

    private func next(_ parts: inout BodyStream.AsyncIterator) async throws -> [UInt8]? {
        do {
            return try await parts.next()
        } catch {
            throw ContentFailure(cause: error)
        }
    }

    private var wrongLength: ContentFailure {
        ContentFailure(
            cause: BundleError(.invalidArgument, "the content of the request isn't as long as its Content-Length says")
        )
    }
}
