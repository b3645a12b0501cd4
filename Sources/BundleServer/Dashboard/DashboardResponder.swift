import BundleNetwork
import BundleServing
import BundleStore
import Foundation
import HTTPTypes

/// Responds to the dashboard: its page, what that shows, and what operators do there. Thread-safe.
struct DashboardResponder: Sendable {
    let gate: DashboardGate
    let store: BundleStore
    let source: DashboardSource
    let streams: DashboardStreams
    let actions: DashboardActions

    /// Nil for a request that isn't the dashboard's.
    func respond(to request: HTTPRequest, _ client: ClientExchange) async -> ServedResponse? {
        guard let path = request.path?.prefix(while: { $0 != "?" }) else { return nil }
        if let file = DashboardFile.all.first(where: { $0.path == path }) {
            return Self.served(file.response(to: request))
        }
        guard let call = DashboardCall(request.path) else { return nil }
        if let refusal = gate.refusal(of: request, call) { return Self.served(refusal) }
        switch call {
        case .state: return Self.served(Self.json(await source.current().document))
        case .events: return await streams.open(from: client.address)
        case .icon(let name): return Self.served(await icon(of: name))
        case .action(let action, let name): return Self.served(await perform(action, name, client))
        }
    }

    private func icon(of name: BundleName) async -> Response {
        await withTaskExecutorPreference(BlockingExecutor()) {
            guard let release = store.snapshot.bundles[name]?.serving else {
                return .plain(.notFound, "There is no such bundle, or nothing of it is served.")
            }
            return Self.json(Self.text(["url": OverviewIcon.url(of: release)]))
        }
    }

    private func perform(_ action: DashboardAction, _ name: BundleName, _ client: ClientExchange) async -> Response {
        var version: BundleVersion?
        do {
            let terms = try DashboardTerms(
                try await client.content(atMost: DashboardTerms.maximumByteCount),
                for: action
            )
            version = terms.version
            let text = try await withTaskExecutorPreference(BlockingExecutor()) {
                try store.refresh()
                _ = try store.bundle(name)
                return try actions.perform(action, name, terms.version)
            }
            await streams.stateChanged()
            return Self.json(Self.text(["message": text]))
        } catch {
            let bundle = store.snapshot.bundles[name]
            let isKnown = version.map { bundle?.release($0) ?? bundle?.damagedRelease($0) } ?? bundle?.current
            return Self.response(DashboardProblem(error, isKnown: isKnown != nil))
        }
    }

    private static func response(_ problem: DashboardProblem) -> Response {
        var response = json(text(problem))
        response.head.status = problem.status
        if problem.status == .serviceUnavailable { response.head.headerFields[.retryAfter] = "1" }
        return response
    }

    private static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private static func json(_ document: String) -> Response {
        var response = Response.plain(.ok, document)
        response.head.headerFields[.contentType] = "application/json"
        return response
    }

    private static func served(_ response: Response) -> ServedResponse { .complete(response, ResponseSource(.server)) }
}
