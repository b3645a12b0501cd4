import BundleEmbedding
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response, as the client is told.
extension URLLoad {
    /// How much of a body that is there is delivered at once.
    private static let wholeByteCount = 1 << 20

    func deliver(_ response: ServedResponse) {
        guard let owner, let url = request.url else { return }
        guard let head = FinalResponse.make(response.head, for: url) else {
            return fail(LoadingFailure.error(.badServerResponse, url))
        }
        isChallenge = head is FinalResponse
        keepCredential(response.head)
        owner.client?.urlProtocol(owner, didReceive: head, cacheStoragePolicy: .notAllowed)
        switch response {
        case .complete(let response, _): deliver(response.body)
        case .streaming(_, let body, _): deliver { [body] }
        case .switching: fail(LoadingFailure.error(.badServerResponse, url))
        }
    }

    private func deliver(_ body: ResponseBody) {
        guard body.byteCount > Self.wholeByteCount, deliversPieces else {
            collected = Data(copying: body)
            guard !body.hasFaulted else {
                return fail(LoadingFailure.error(.cannotDecodeRawData, request.url))
            }
            return finish()
        }
        deliver { body.parts.map { BodyStream($0) } }
    }

    /// Delivers bodies one after the other, each piece once the one before has been taken.
    private func deliver(_ bodies: @escaping @Sendable () -> [BodyStream]) {
        work = Task(executorPreference: executor) { [self] in
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
        if deliversPieces {
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
        guard isChallenge else {
            owner.client?.urlProtocolDidFinishLoading(owner)
            return
        }
        FinalResponse.withoutURL { owner.client?.urlProtocolDidFinishLoading(owner) }
    }
}

extension Data {
    fileprivate init(copying body: ResponseBody) {
        self.init(capacity: body.byteCount)
        for part in body.parts { part.withUnsafeBytes { append(contentsOf: $0) } }
    }
}
