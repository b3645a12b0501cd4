import BundleServing
import BundleStore
import HTTPTypes

/// Requests whose responses no other request uses.
extension OriginFetcher {
    /// Fetches what isn't stored, in the task of the request that waits for it.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when no response comes.
    func fetchAlone(_ fetch: Fetch) async throws(BundleError) -> (OriginExchange, OriginResponse) {
        try await inTurn(origin: fetch.resource.origin, key: fetch.resource.name, url: fetch.url) {
            try await exchange(fetch.request, fetch)
        }
    }

    /// Sends a request that isn't cached.
    ///
    /// - Throws: As ``fetchAlone(_:)``.
    func pass(_ call: OriginCall, url: String) async throws(BundleError) -> OriginResponse {
        try await inTurn(origin: call.origin, key: "\(call.request.method) \(url)", url: url) {
            try await transport.send(call)
        }
    }

    /// Runs `body` once it is its turn.
    private func inTurn<Response>(
        origin: String,
        key: String,
        url: String,
        _ body: () async throws -> Response
    ) async throws(BundleError) -> Response {
        let result = await permits.run(origin: origin, url: key) { () async -> Swift.Result<Response, any Error>? in
            do { return .success(try await body()) } catch { return .failure(error) }
        }
        switch result {
        case .success(let response): return response
        case .failure(let error as BundleError): throw error
        case .failure, nil:
            throw BundleError(.networkUnavailable, "the request for \(Printable.text(url)) was given up")
        }
    }
}
