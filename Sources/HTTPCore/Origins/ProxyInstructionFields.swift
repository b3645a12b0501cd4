import BundleModel

/// The request fields that servers and frameworks take as instructions from a proxy in front of them: who the client is, which
/// host, path, method or scheme it asked for, whether it has been authenticated, or what the server is to do.
///
/// This server is the first hop, so none of them can be true when a client sends it; and they aren't part of a cache's
/// key, so one client could choose what is stored for the others. They reach an origin only if a manifest says so.
///
/// Names are compared as in CGI (RFC 3875 §4.1.18), which WSGI, Rack and PHP follow too: ignoring case, and with all
/// characters other than letters and digits equal, so that `X_Forwarded_Host` is `X-Forwarded-Host`. The prefix
/// `HTTP_`, which CGI adds and some programs look for in a field's name, is ignored, however often it is repeated.
package enum ProxyInstructionFields {
    /// Whether a field of this name is one.
    package static func contains(_ name: String) -> Bool {
        var rest = HTTPSyntax.collapsedName(name)[...]
        while rest.hasPrefix("http-") { rest = rest.dropFirst(5) }
        return isListed(rest)
    }

    private static func isListed(_ name: Substring) -> Bool {
        names.contains(String(name)) || prefixes.contains { name.hasPrefix($0) }
    }

    /// Prefixes of names. OriginRequests.md has the same list.
    package static let prefixes = [
        // Where a request came from and what it was: nginx, Apache, HAProxy, Traefik, IIS (ARR, URL Rewrite), and
        // behind them Django, Rails, Symfony, Laravel, Express, Spring and ASP.NET.
        "x-forwarded", "xforwarded", "x-forward-", "x-original-", "original-", "x-originating-", "x-rewrite-",
        "x-real-", "true-", "x-client-ip", "x-cluster-client-ip",
        "x-proxy-", "x-proxyuser-", "wl-proxy-", "x-arr-", "x-iisnode-",
        // Host, path and scheme under vendors' own names. Traefik sends the path that it replaced.
        "x-override-", "x-server-", "x-external-", "x-replaced-",
        // A method that overrides the request's: Rack, Symfony, Laravel, Spring, ASP.NET, method-override of Express.
        "x-http-method", "x-method-",
        // Who has been authenticated, and with which certificate (RFC 9440): oauth2-proxy, Authelia, Shibboleth,
        // Grafana, IAP; mod_auth_openidc, mod_auth_mellon, mod_auth_cas, SiteMinder, WebSEAL, Vouch, Pomerium,
        // Tailscale, Google's and other API gateways, Kong's consumers, Kubernetes' impersonation.
        "remote-", "x-remote-", "x-authenticated-", "x-auth-request-", "x-auth-user", "x-authentik-", "x-webauth-",
        "x-sso-user", "oidc-", "mellon-", "cas-", "shib-", "sm-", "iv-", "x-vouch-", "x-pomerium-", "tailscale-",
        "x-consumer-", "x-credential-", "x-endpoint-api-", "x-apigateway-", "impersonate-",
        "x-goog-iap-", "x-goog-authenticated-", "x-ms-client-principal", "x-ms-token-",
        "client-cert", "x-client-cert", "x-client-dn", "ssl-client-", "x-ssl-", "x-tls-",
        // Which middleware has run and which route was found: Next.js (CVE-2025-29927) and where it is hosted.
        "x-middleware-", "x-nextjs-", "x-invoke-", "x-now-", "x-vercel-",
        // Which file is to be sent: nginx, Apache, Rack::Sendfile (CVE-2025-61780).
        "x-accel-", "x-sendfile",
        // Content delivery networks, clouds and meshes.
        "cf-", "fastly-", "akamai-", "x-akamai-", "cloudfront-", "x-amz-cf-", "x-amzn-", "x-azure-", "x-fd-",
        "x-appengine-", "x-envoy-", "x-istio-", "x-kong-", "x-sucuri-", "surrogate-",
        "fly-client-ip", "fly-forwarded-", "do-connecting-ip", "ali-cdn-", "cdn-src-ip", "x-nf-", "x-shopify-client-ip",
        // What gateways of mobile networks say about a phone. Not all of `X-Up-`: Unpoly's pages send such fields
        // themselves.
        "x-up-bear", "x-up-calling-", "x-up-subno",
    ]

    /// Whole names. OriginRequests.md has the same list.
    package static let names: Set<String> = [
        "forwarded", "forwarded-for", "forwarded-host", "forwarded-proto", "z-forwarded-for", "x-original",
        "x-host", "x-http-host-override", "x-host-override", "x-http-path-override", "x-http-destinationurl",
        "x-backend-host", "x-scheme", "x-url-scheme", "x-proto", "x-protocol", "x-port", "x-https", "https",
        "front-end-https",
        "x-script-name", "script-name", "path-info", "x-matched-path", "x-context-path", "base-url", "request-uri",
        "x-wap-profile",
        "x-clientip", "x-remoteip", "x-source-ip", "x-custom-ip-authorization", "x-true-client-ip", "client-ip",
        "proxy-client-ip", "cluster-client-ip", "x-cluster-ip", "incap-client-ip", "real-ip",
        "x-method", "x-requested-method", "method-override",
        "x-user", "auth-user", "auth-type", "x-userinfo",
        // CGI turns it into HTTP_PROXY, which many programs use as their proxy (CVE-2016-5385).
        "proxy",
    ]
}
