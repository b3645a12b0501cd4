import BundleEmbedding
import BundleServing
import BundleStore
import CBundle
import Dispatch

/// A load whose callbacks C has given.
struct LoadRun: Sendable {
    let client: ClientHandle
    let request: LoadRequest
    let callbacks: LoadCallbacks

    /// Runs in a task of its own, until after the last callback.
    func run() async {
        do {
            try await load()
            await callbacks.end(nil)
        } catch {
            await callbacks.end(Failure(error))
        }
    }

    private func load() async throws {
        let response = try await client.respond(to: request)
        try await callbacks.head(ResponseHandle(response.head, response.source))
        switch response {
        case .complete(let response, _):
            for part in response.body.parts { try await send(BodyStream(part), from: part) }
        case .streaming(_, let body, _):
            try await send(body, from: nil)
        case .switching: break
        }
    }

    /// - Parameter slice: Where the chunks are copied from, to check that they could be read.
    private func send(_ body: BodyStream, from slice: ByteSlice?) async throws {
        for try await chunk in body where !chunk.isEmpty {
            guard slice?.hasFaulted != true else {
                throw BundleError(.storeDamaged, "a file of the store can't be read any more", .checkDisk)
            }
            try client.checkOpen()
            try await callbacks.body(chunk)
        }
    }
}
