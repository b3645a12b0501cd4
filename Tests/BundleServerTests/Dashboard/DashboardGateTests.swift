import BundleServing
import BundleStore
import HTTPTypes
import Testing

@testable import BundleServer

@Suite("Who may use the dashboard")
struct DashboardGateTests {
    private static let shop = BundleName("shop")
    private static let json = "Content-Type: application/json"
    private static let own = "Authorization: Bearer TOKEN"

    @Test(
        arguments: [
            // From the page, or by a tool with the token.
            (.get, .state, [own, "Sec-Fetch-Site: same-origin"], nil), (.get, .state, [own], nil),
            (.get, .events, [own, "Origin: http://127.0.0.1:9100"], nil),
            (.get, .state, [own, "Sec-Fetch-Site: none"], nil),
            (.post, .action(.pin, shop), [own, json, "Origin: http://127.0.0.1:9100"], nil),
            (.post, .action(.pin, shop), [own, "Content-Type: Application/JSON; charset=utf-8"], nil),
            (.post, .action(.markBad, shop), [own, json, "Sec-Fetch-Site: same-origin"], nil),
            // Without the token, or with another one.
            (.post, .action(.markGood, shop), [json], 401), (.post, .action(.markBad, shop), [json], 401),
            (.get, .state, [], 401), (.get, .state, ["Sec-Fetch-Site: same-origin"], 401),
            (.get, .state, ["Authorization: Bearer other"], 401), (.get, .state, ["Cookie: token=TOKEN"], 401),
            (.post, .action(.pin, shop), [json], 401), (.get, .icon(shop), [], 401), (.get, .events, [], 401),
            // Another page has the browser do it.
            (.get, .state, [own, "Sec-Fetch-Site: cross-site"], 403),
            (.get, .state, [own, "Sec-Fetch-Site: same-site"], 403),
            (.get, .state, [own, "Sec-Fetch-Site: nonsense, x"], 403),
            (.get, .state, [own, "Origin: http://evil.example"], 403),
            (.get, .state, [own, "Origin: null"], 403), (.get, .state, [own, "Origin: http://127.0.0.1:9101"], 403),
            (
                .post, .action(.pin, shop),
                [own, json, "Sec-Fetch-Site: same-origin", "Origin: http://shop.localhost:8080"], 403
            ),
            (
                .post, .action(.pin, shop), [own, json, "Sec-Fetch-Site: cross-site", "Origin: http://127.0.0.1:9100"],
                403
            ),
            // A page of another scheme; a browser that compares the schemes itself has a proxy with TLS in front.
            (.get, .state, [own, "Origin: https://127.0.0.1:9100"], 403),
            (.get, .state, [own, "Sec-Fetch-Site: none", "Origin: https://127.0.0.1:9100"], 403),
            (.get, .state, [own, "Sec-Fetch-Site: same-origin", "Origin: https://127.0.0.1:9100"], nil),
            (.post, .action(.markGood, shop), [own, json, "Sec-Fetch-Site: cross-site"], 403),
            // Another method, or a form.
            (.get, .action(.markGood, shop), [own, json], 405), (.post, .action(.markBad, shop), [own], 415),
            (.post, .state, [own, json], 405), (.get, .action(.pin, shop), [own, json], 405),
            (.put, .action(.pin, shop), [own, json], 405), (.options, .action(.pin, shop), [own], 405),
            (.post, .action(.pin, shop), [own], 415),
            (.post, .action(.pin, shop), [own, "Content-Type: text/plain"], 415),
            (.post, .action(.pin, shop), [own, "Content-Type: application/x-www-form-urlencoded"], 415),
            (.post, .action(.pin, shop), [own, "Content-Type: multipart/form-data; boundary=x"], 415),
        ] as [(HTTPRequest.Method, DashboardCall, [String], Int?)]
    )
    func `is who has the token, from the dashboard's own page`(
        _ method: HTTPRequest.Method,
        _ call: DashboardCall,
        _ fields: [String],
        _ status: Int?
    ) {
        let token = AdminToken()
        let gate = DashboardGate(token: { token }, scheme: "http")
        var request = HTTPRequest(method: method, scheme: nil, authority: "127.0.0.1:9100", path: "/")
        for field in fields {
            let parts = field.replacing("TOKEN", with: token.text).split(separator: ": ", maxSplits: 1).map(
                String.init
            )
            if let name = HTTPField.Name(parts[0]) {
                request.headerFields.append(HTTPField(name: name, value: parts[1]))
            }
        }
        let refusal = gate.refusal(of: request, call)
        #expect(refusal?.head.status.code == status)
        #expect(refusal?.head.headerFields[.accessControlAllowOrigin] == nil)
        if status == 401 { #expect(refusal?.head.headerFields[.wwwAuthenticate]?.hasPrefix("Bearer") == true) }
    }

    @Test(arguments: [("https", nil), ("http", 403)] as [(String, Int?)])
    func `is a page with the listener's scheme`(_ scheme: String, _ status: Int?) {
        let token = AdminToken()
        let gate = DashboardGate(token: { token }, scheme: "https")
        let fields: HTTPFields = [.origin: "\(scheme)://localhost:9100", .authorization: "Bearer \(token.text)"]
        let request = HTTPRequest(
            method: .get,
            scheme: nil,
            authority: "localhost:9100",
            path: "/",
            headerFields: fields
        )
        #expect(gate.refusal(of: request, .state)?.head.status.code == status)
    }
}
