import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// Responds to pages that ask about their own bundle: which release is active, whether another one is ready, and that the
/// release works or doesn't; and has it updated for them.
///
/// A page gets what belongs to its release by its version cookie. Only pages of the same origin are responded to.
/// Thread-safe.
struct PageResponder: Sendable {
    let store: BundleStore
    let resolver: LiveResolver
    let streams: PageStreams
    let calls: PageCallCounts
    let actions: PageActions

    init(
        _ store: BundleStore,
        _ resolver: LiveResolver,
        _ streams: PageStreams,
        _ calls: PageCallCounts,
        _ actions: PageActions
    ) {
        (self.store, self.resolver, self.streams) = (store, resolver, streams)
        (self.calls, self.actions) = (calls, actions)
    }

    /// The response to a call; nil for any other request, and for a bundle that has no pages on the request's host.
    func begin(_ request: HTTPRequest) -> ResponseStart? {
        guard let call = PageCall(request.path), store.snapshot.bundles[call.name] != nil,
            resolver.current.hasPages(of: call.name, at: request.authority)
        else { return nil }
        return .waiting { client in await respond(to: call, request, client) }
    }

    /// A request with a call below its bundle's own root, such as `/m/.bundles/shop`, as the one for `/.bundles/shop`: pages
    /// behind a proxy can't know what that removes from their path. Any other request as it is, also where bundles share the
    /// host, and pages of another one would have the cookie that proves the release.
    func atRoot(_ request: HTTPRequest) -> HTTPRequest {
        guard let path = request.path, let start = path.utf8.firstRange(of: PageCall.prefix.utf8)?.lowerBound,
            start > path.startIndex, let call = PageCall(String(path[start...])),
            case let root = path[..<start] + "/", let target = RequestTarget(String(root), host: request.authority),
            let match = resolver.current.match(target, isNavigation: true),
            match.release.name == call.name, match.rootPath == root, match.isForPages, !match.sharesHost
        else { return request }
        var request = request
        request.path = String(path[start...])
        return request
    }

    private func respond(to call: PageCall, _ request: HTTPRequest, _ client: ClientExchange) async -> ServedResponse {
        guard call.action.methods.contains(request.method) else {
            let allowed = call.action.methods.map(\.rawValue).joined(separator: ", ")
            return Self.served(
                .plain(.methodNotAllowed, "Only \(allowed) are supported here.", fields: [.allow: allowed])
            )
        }
        guard PageOrigin.isSame(request, mayBeTyped: call.action == .state) else {
            return Self.served(.plain(.forbidden, "Only pages of the bundle's own origin may ask this."), request)
        }
        calls.note(call, request)
        switch call.action {
        case .state: return Self.served(await state(call, request), request)
        case .events:
            return await withTaskExecutorPreference(BlockingExecutor()) {
                streams.open(of: call.name, request, from: client.address)
            }
        case .good, .bad, .update, .activate: return Self.served(await take(call, request, client))
        }
    }

    private func state(_ call: PageCall, _ request: HTTPRequest) async -> Response {
        await withTaskExecutorPreference(BlockingExecutor()) {
            guard let bundle = store.snapshot.bundles[call.name] else { return Self.gone }
            return .json(JSONDocument.line(of: reader.state(for: call, request, of: bundle, actions)))
        }
    }

    private var reader: PageStateReader { PageStateReader(store: store) }

    private static let gone = Response.plain(.notFound, "There is no such bundle any more.")

    /// Acts for a page that has the nonce of the active release.
    private func act(_ call: PageCall, _ statement: PageStatement, _ request: HTTPRequest) -> Response {
        guard let bundle = store.snapshot.bundles[call.name] else { return Self.gone }
        let own = reader.state(for: call, request, of: bundle, actions).nonce
        if let refusal = actions.perform(call.action, of: bundle, given: statement.nonce, own: own) { return refusal }
        guard let bundle = store.snapshot.bundles[call.name] else { return Self.gone }
        let state = reader.state(for: call, request, of: bundle, actions)
        return .json(JSONDocument.line(of: state), status: call.action == .update ? .accepted : .ok)
    }

    private func take(_ call: PageCall, _ request: HTTPRequest, _ client: ClientExchange) async -> Response {
        let type = request.headerFields[.contentType].flatMap(MediaType.init)
        // A form of another site can't have this type.
        guard type?.essence == "application/json" else {
            return .plain(.unsupportedMediaType, "Send JSON, with Content-Type: application/json.")
        }
        do {
            let statement = try PageStatement(try await client.content(atMost: PageStatement.maximumByteCount))
            return try await withTaskExecutorPreference(BlockingExecutor()) {
                switch call.action {
                case .update, .activate: act(call, statement, request)
                case .state, .events, .good, .bad: try PageVerdicts(store: store).take(call, statement, request)
                }
            }
        } catch let error as BundleError where error.code == .storeBusy {
            return .plain(.serviceUnavailable, "The bundle is being changed; ask again.", fields: [.retryAfter: "1"])
        } catch let error as BundleError where error.code == .notFound {
            return .plain(.notFound, "There is no such bundle any more, or no such version.")
        } catch let error as BundleError where [.invalidArgument, .tooLarge].contains(error.code) {
            return .plain(.badRequest, "\(error.message).")
        } catch {
            return .plain(.serviceUnavailable, "The store can't be written now.", fields: [.retryAfter: "5"])
        }
    }

    private static func served(_ response: Response, _ request: HTTPRequest? = nil) -> ServedResponse {
        .complete(request?.method == .head ? response.withoutBody : response, ResponseSource(.server))
    }
}

extension Response {
    /// JSON, and a line break.
    static func json(_ document: String, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response.plain(status, document)
        response.head.headerFields[.contentType] = "application/json"
        return response
    }
}
