import HTTPTypes
import OfflineBundles

/// The page that takes the place of a redirect: it replaces itself with the target, so that going back leads before it.
enum RedirectPage {
    static func response(to address: String, in redirect: ServedResponse) -> ServedResponse {
        let fields: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        let head = HTTPResponse(status: .ok, headerFields: fields)
        return .complete(Response(head: head, body: ResponseBody(html(address))), redirect.source)
    }

    /// The fragment of the address before is kept, unless the target has one (RFC 9110 §10.2.2).
    static func html(_ address: String) -> String {
        let target = escaped(address)
        return """
            <!doctype html><html><meta charset="utf-8"><title></title>
            <noscript><meta http-equiv="refresh" content="0; url=\(target)"></noscript><a href="\(target)"></a>
            <script>
            const target = new URL(document.links[0].href);
            if (!target.hash) target.hash = location.hash;
            location.replace(target);
            </script></html>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
