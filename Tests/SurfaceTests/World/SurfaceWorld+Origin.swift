import BundleStore
import BundleTesting
import HTTPTypes

/// What only the origin has.
extension SurfaceWorld {
    func routeOrigin() {
        let plain: HTTPFields = [.contentType: "text/plain"]
        func fresh(_ text: String) -> ScriptedResponse {
            let fields: HTTPFields = [.contentType: "text/plain", .cacheControl: "max-age=600", .eTag: #""\#(text)""#]
            return ScriptedResponse(fields: fields, body: Array(text.utf8))
        }
        origin.route("/shop/api/stock", to: fresh("stock"))
        origin.route("/shop/api/v2/items", to: fresh("items"))
        origin.route("/shop/api/gone", to: ScriptedResponse(status: .gone, fields: plain, body: Array("gone".utf8)))
        origin.route("/shop/api/unstored") { request in
            var fields = plain
            fields[.cacheControl] = "no-store"
            return ScriptedResponse(fields: fields, body: Array("by \(request.method)".utf8))
        }
        origin.route("/shop/api/redirect", to: ScriptedResponse(status: .found, fields: [.location: "/shop/app.js"]))
        origin.route("/shop/api/fields") { request in
            ScriptedResponse(request.headerFields[.init("X-App")!] ?? "no field")
        }
        origin.route("/shop/api/range") { request in
            let range = request.headerFields[.range] ?? "none"
            return ScriptedResponse("range \(range)")
        }
        origin.route("/shop/api/agent") { request in
            ScriptedResponse(request.headerFields[.init("X-Agent")!] ?? "no field")
        }
        origin.route("/shop/api/internal/list", to: ScriptedResponse("list"))
        origin.route(
            "/shop/api/upload",
            receiving: { _, content in
                ScriptedResponse("\(content.count) \(Digest(of: content))")
            }
        )
        origin.route(
            "/shop/api/large",
            to: ScriptedResponse(fields: [.cacheControl: "max-age=600"], body: Self.large)
        )
        origin.fail("/shop/api/large", with: [.chunked])
    }
}
