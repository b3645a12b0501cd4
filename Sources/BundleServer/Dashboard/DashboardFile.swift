import BundleServing
import BundleStore
import HTTPTypes

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
