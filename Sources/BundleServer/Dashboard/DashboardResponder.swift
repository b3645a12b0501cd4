import BundleNetwork
import BundleServing
import BundleStore
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
        case .state: return Self.served(.json(await source.current().document))
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
            return .json(JSONDocument.line(of: ["url": OverviewIcon.url(of: release)]))
        }
    }

    private func perform(_ action: DashboardAction, _ name: BundleName, _ client: ClientExchange) async -> Response {
        do {
            let terms = try DashboardTerms(
                try await client.content(atMost: DashboardTerms.maximumByteCount),
                for: action
            )
            let text = try await withTaskExecutorPreference(BlockingExecutor()) {
                try store.refresh()
                _ = try store.bundle(name)
                return try actions.perform(action, name, terms.version)
            }
            await streams.stateChanged()
            return .json(JSONDocument.line(of: ["message": text]))
        } catch {
            return Self.response(DashboardProblem(error))
        }
    }

    private static func response(_ problem: DashboardProblem) -> Response {
        var response = Response.json(JSONDocument.line(of: problem))
        response.head.status = problem.status
        if problem.status == .serviceUnavailable { response.head.headerFields[.retryAfter] = "1" }
        return response
    }

    private static func served(_ response: Response) -> ServedResponse { .complete(response, ResponseSource(.server)) }
}

/// A request of the dashboard's page, below `/api/`.
enum DashboardCall: Equatable {
    /// `GET /api/state`: what is shown.
    case state
    /// `GET /api/events`: the same, again with each change.
    case events
    /// `GET /api/bundles/NAME/icon`: the icon of the release that is served.
    case icon(BundleName)
    /// `POST /api/bundles/NAME/activate` and the like.
    case action(DashboardAction, BundleName)

    private static let prefix = "/api/"

    /// Nil for any other target.
    init?(_ target: String?) {
        guard let target, target.hasPrefix(Self.prefix) else { return nil }
        let path = target.dropFirst(Self.prefix.count).prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch parts {
        case ["state"]: self = .state
        case ["events"]: self = .events
        default:
            guard parts.count == 3, parts[0] == "bundles", let name = BundleName(parts[1]) else { return nil }
            if parts[2] == "icon" {
                self = .icon(name)
            } else if let action = DashboardAction(rawValue: parts[2]) {
                self = .action(action, name)
            } else {
                return nil
            }
        }
    }

    var method: HTTPRequest.Method {
        if case .action = self { .post } else { .get }
    }
}

/// A file of the dashboard's page. There are no secrets in them: they are served without the token.
struct DashboardFile: Sendable {
    let path: String
    let mediaType: String
    let content: [UInt8]

    static let all = [
        DashboardFile("/", "text/html; charset=utf-8", PackageResources.dashboard_html),
        DashboardFile("/dashboard.css", "text/css; charset=utf-8", PackageResources.dashboard_css),
        script("dashboard", PackageResources.dashboard_js),
        script("bundles", PackageResources.bundles_js),
        script("connection", PackageResources.connection_js),
        script("elements", PackageResources.elements_js),
        script("figures", PackageResources.figures_js),
        script("format", PackageResources.format_js),
    ]

    private init(_ path: String, _ mediaType: String, _ content: [UInt8]) {
        (self.path, self.mediaType, self.content) = (path, mediaType, content)
    }

    private static func script(_ name: String, _ content: [UInt8]) -> DashboardFile {
        DashboardFile("/\(name).js", "text/javascript; charset=utf-8", content)
    }

    /// Its own scripts and styles, icons in `data:` URLs, and nothing that turns text into markup.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

    /// The response to a request for it.
    func response(to request: HTTPRequest) -> Response {
        guard request.method == .get || request.method == .head else {
            return .plain(.methodNotAllowed, "Only GET and HEAD are supported here.", fields: [.allow: "GET, HEAD"])
        }
        var fields: HTTPFields = [
            .contentType: mediaType, .contentLength: String(content.count), .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff", .contentSecurityPolicy: Self.policy,
        ]
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let response = Response(
            head: HTTPResponse(status: .ok, headerFields: fields),
            body: ResponseBody([ByteSlice(copying: content)])
        )
        return request.method == .head ? response.withoutBody : response
    }
}
