import BundleServing
import HTTPTypes

/// Decides who may see and change what the dashboard shows. Pure.
///
/// The token is sent in a field, which a browser adds to no request by itself; there are no cookies. So no other page can have
/// a browser do anything here. That the request comes from the dashboard's own page is checked all the same.
struct DashboardGate: Sendable {
    /// The token that counts now.
    let token: @Sendable () -> AdminToken
    /// The listener's scheme: `http` or `https`.
    let scheme: String

    /// The response to a request that isn't permitted; nil for one that is.
    func refusal(of request: HTTPRequest, _ call: DashboardCall) -> Response? {
        let fields = request.headerFields
        guard !isFromOtherPage(request) else {
            return .plain(.forbidden, "Only the dashboard's own page may ask this.")
        }
        guard token().isProven(by: fields[.authorization]) else {
            return .plain(
                .unauthorized,
                "The token is missing, or isn't this server's. The server prints it at its start: “dashboard at …#token=…”; "
                    + "or its operator has chosen one, and knows it.",
                fields: [.wwwAuthenticate: "Bearer realm=\"dashboard\""]
            )
        }
        guard request.method == call.method else {
            let allowed = call.method.rawValue
            return .plain(.methodNotAllowed, "Only \(allowed) is supported here.", fields: [.allow: allowed])
        }
        // A form of another site can't have this type.
        guard call.method == .get || fields[.contentType].flatMap(MediaType.init)?.essence == "application/json" else {
            return .plain(.unsupportedMediaType, "Send JSON, with Content-Type: application/json.")
        }
        return nil
    }

    private func isFromOtherPage(_ request: HTTPRequest) -> Bool {
        guard NavigationRequest.isFromSameSite(request) else { return true }
        // A browser that says so has compared the schemes, also that of a proxy with TLS.
        let isSameOrigin = NavigationRequest.isFromSameOrigin(request)
        return PageOrigin.isOther(request, scheme: isSameOrigin ? nil : scheme)
    }
}
