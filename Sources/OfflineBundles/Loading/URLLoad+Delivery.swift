import BundleEmbedding
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response, as the client is told.
extension URLLoad {
    /// How much of a body that is there is delivered at once.
    private static let wholeByteCount = 256 << 10

    func deliver(_ response: ServedResponse) {
        guard let owner, let url = request.url else { return }
        guard let head = FinalResponse.make(response.head, for: url) else {
            return fail(LoadingFailure.error(.badServerResponse, url))
        }
        keepCredential(response.head)
        owner.client?.urlProtocol(owner, didReceive: head, cacheStoragePolicy: .notAllowed)
        switch response {
        case .complete(let response, _): deliver(response.body)
        case .streaming(_, let body, _): deliver { [body] }
        case .switching: fail(LoadingFailure.error(.badServerResponse, url))
        }
    }

    private func deliver(_ body: ResponseBody) {
        guard body.byteCount > Self.wholeByteCount, session?.deliversPieces ?? true else {
            let bytes = Data(body.array)
            guard !body.hasFaulted else {
                return fail(LoadingFailure.error(.cannotDecodeRawData, request.url))
            }
            receive(bytes)
            return finish()
        }
        deliver { body.parts.map { BodyStream($0) } }
    }

    /// Delivers bodies one after the other, each piece once the one before has been taken.
    private func deliver(_ bodies: @escaping @Sendable () -> [BodyStream]) {
        work = Task {
            do {
                for body in bodies() {
                    for try await chunk in body {
                        await proceed { $0.receive(Data(chunk)) }
                        await session?.drain()
                        try Task.checkCancellation()
                    }
                }
                await proceed { $0.finish() }
            } catch {
                await proceed { $0.fail(LoadingFailure.error(error, $0.request.url)) }
            }
        }
    }

    private func receive(_ data: Data) {
        guard let owner, !data.isEmpty else { return }
        if session?.deliversPieces ?? true {
            owner.client?.urlProtocol(owner, didLoad: data)
        } else {
            // Linux keeps only the last piece for a completion handler.
            collected.append(data)
        }
    }

    private func finish() {
        guard let owner else { return }
        let whole = collected
        end()
        if !whole.isEmpty { owner.client?.urlProtocol(owner, didLoad: whole) }
        FinalResponse.withoutURL { owner.client?.urlProtocolDidFinishLoading(owner) }
    }
}
