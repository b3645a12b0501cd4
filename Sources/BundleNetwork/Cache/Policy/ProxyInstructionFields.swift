/// The request fields that servers and frameworks take as instructions of a proxy in front of them: who the client is, which
/// host, path, method or scheme it asked for, how far it has been authenticated, or what the server is to do.
///
/// This server is the first hop, so none of them can be true when a client sends one; and they are no part of a cache's key, so
/// that one client could choose what is stored for the others. They reach an origin only where a manifest says so.
///
/// Names are compared as CGI does (RFC 3875 §4.1.18), which WSGI, Rack and PHP go by too: in one case, and with everything that
/// is no letter or digit taken for the same, so that `X_Forwarded_Host` is `X-Forwarded-Host`. `HTTP_` before a name, which CGI
/// puts there and some programs look for in a field's name, doesn't count either.
enum ProxyInstructionFields {
    /// Whether a field of this name is one.
    static func contains(_ name: String) -> Bool {
        let collapsed = collapsed(name)
        return isListed(collapsed) || collapsed.hasPrefix("http-") && isListed(collapsed.dropFirst(5))
    }

    /// A field's name as CGI has it, but in lower case and with hyphens.
    static func collapsed(_ name: String) -> String {
        String(decoding: name.utf8.map { isAlphanumeric($0) ? $0 | 0x20 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    private static func isListed(_ name: some StringProtocol) -> Bool {
        names.contains(String(name)) || prefixes.contains { name.hasPrefix($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    /// Every name that starts so. README.md has the same table.
    static let prefixes = [
        // Where a request came from and what it was: nginx, Apache, HAProxy, Traefik, IIS (ARR, URL Rewrite), and behind them
        // Django, Rails, Symfony, Laravel, Express, Spring and ASP.NET.
        "x-forwarded-", "x-forward-", "x-original-", "x-originating-", "x-rewrite-", "x-client-ip",
        "x-cluster-client-ip",
        "x-proxy-", "x-proxyuser-", "wl-proxy-", "x-arr-", "x-iisnode-",
        // Another method than the request's: Rack, Symfony, Laravel, Spring, ASP.NET, method-override of Express.
        "x-http-method", "x-method-",
        // Who has been authenticated, and with which certificate (RFC 9440): oauth2-proxy, Authelia, Shibboleth, Grafana, IAP.
        "remote-", "x-remote-", "x-authenticated-", "x-auth-request-", "x-authentik-", "x-webauth-", "x-goog-iap-",
        "x-goog-authenticated-", "x-ms-client-principal", "x-ms-token-", "client-cert", "x-client-cert", "ssl-client-",
        "x-ssl-",
        // Which middleware has run and which route was found: Next.js (CVE-2025-29927) and where it is hosted.
        "x-middleware-", "x-nextjs-", "x-invoke-", "x-now-", "x-vercel-",
        // Which file is to be sent: nginx, Apache, Rack::Sendfile (CVE-2025-61780).
        "x-accel-", "x-sendfile",
        // Content delivery networks, clouds and meshes.
        "cf-", "fastly-", "akamai-", "x-akamai-", "cloudfront-", "x-amz-cf-", "x-amzn-", "x-azure-", "x-fd-",
        "x-appengine-", "x-envoy-", "x-istio-", "x-kong-", "x-sucuri-", "surrogate-",
    ]

    /// Whole names. README.md has the same table.
    static let names: Set<String> = [
        "forwarded", "forwarded-for", "forwarded-host", "forwarded-proto", "x-forwarded", "z-forwarded-for",
        "x-host", "x-http-host-override", "x-host-override", "x-http-path-override", "x-http-destinationurl",
        "x-scheme", "x-url-scheme", "x-https", "https", "front-end-https",
        "x-script-name", "script-name", "path-info", "x-matched-path", "x-wap-profile",
        "x-real-ip", "x-clientip", "x-remoteip", "x-source-ip", "x-custom-ip-authorization", "true-client-ip",
        "x-true-client-ip", "client-ip", "proxy-client-ip", "incap-client-ip", "real-ip",
        "method-override",
        // CGI makes HTTP_PROXY of it, which many programs take for the proxy to use (CVE-2016-5385).
        "proxy",
    ]
}
