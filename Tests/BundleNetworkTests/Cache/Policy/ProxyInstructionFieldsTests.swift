import BundleTesting
import Foundation
import HTTPTypes
import Testing

@testable import BundleNetwork
@testable import HTTPCore

@Suite("Fields that only a proxy should send")
struct ProxyInstructionFieldsTests {
    /// Fields that servers and frameworks are known to obey.
    static let names = [
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Prefix",
        "X-Forwarded-Proto",
        "X-Forwarded-Scheme", "X-Forwarded-Server", "X-Forwarded-Ssl", "X-Forwarded-Uri", "X-Forwarded-User",
        "X-Forwarded-Method", "X-Forwarded", "X-Forward-For", "X-Original-URL", "X-Original-URI", "X-Original-Host",
        "X-Original-Method", "X-Original-Forwarded-For", "X-Originating-IP", "X-Rewrite-URL", "X-Host",
        "X-HTTP-Host-Override", "X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-DestinationURL",
        "X-Real-IP", "X-Client-IP", "Client-IP", "True-Client-IP", "X-True-Client-IP", "X-Cluster-Client-IP",
        "X-ProxyUser-IP", "Proxy-Client-IP", "WL-Proxy-Client-IP", "X-Remote-IP", "X-Remote-Addr", "X-Remote-User",
        "Remote-User", "Remote-Groups", "X-Authenticated-User", "X-Authenticated-Userid", "X-Auth-Request-Email",
        "X-WEBAUTH-USER", "X-Goog-IAP-JWT-Assertion", "X-Ms-Client-Principal", "X-Client-Cert", "Client-Cert",
        "Client-Cert-Chain", "X-SSL-Client-Verify", "X-SSL-Cert", "SSL-Client-Cert", "X-Middleware-Subrequest",
        "X-Middleware-Prefetch", "x-nextjs-data", "X-Invoke-Path", "X-Now-Route-Matches", "X-Matched-Path",
        "X-Accel-Redirect", "X-Accel-Mapping", "X-Sendfile", "X-Sendfile-Type", "CF-Connecting-IP", "CF-IPCountry",
        "Fastly-Client-IP", "Fastly-FF", "Akamai-Origin-Hop", "CloudFront-Viewer-Country", "X-Amzn-Trace-Id",
        "X-Amzn-Oidc-Data", "X-Azure-ClientIP", "X-FD-HealthProbe", "X-AppEngine-Cron", "X-Envoy-External-Address",
        "X-Envoy-Original-Path", "X-ARR-SSL", "Front-End-Https", "X-Url-Scheme", "X-Scheme", "X-Script-Name",
        "Surrogate-Capability", "X-WAP-Profile", "Proxy", "X-Custom-IP-Authorization",
        // Who has been authenticated.
        "X-Auth-User", "X-User", "Auth-User", "Auth-Type", "X-SSO-User", "OIDC-Claim-Sub", "OIDC-Access-Token",
        "SM-User",
        "SM-ServerSessionID", "iv-user", "iv-groups", "iv-creds", "Shib-Session-ID", "Shib-Application-ID",
        "MELLON-NAME-ID",
        "CAS-User", "X-Consumer-ID", "X-Consumer-Username", "X-Credential-Identifier", "X-Userinfo", "X-Vouch-User",
        "X-Pomerium-Jwt-Assertion", "X-Pomerium-Claim-Email", "Tailscale-User-Login", "X-Endpoint-API-UserInfo",
        "X-Apigateway-Api-Userinfo", "X-TLS-Client-Cert", "X-Client-DN", "X-Client-Cert-Chain", "Impersonate-User",
        "Impersonate-Group",
        // Where the request came from.
        "Cluster-Client-IP", "X-Cluster-IP", "Fly-Client-IP", "Fly-Forwarded-Proto", "DO-Connecting-IP", "CDN-Src-IP",
        "Ali-CDN-Real-IP", "X-Nf-Client-Connection-IP", "X-Up-Calling-Line-ID", "X-Up-Subno", "X-Up-Bearer-Type",
        "X-Shopify-Client-IP",
        // Another host, path, scheme or method.
        "X-Real-Host", "X-Backend-Host", "X-Override-URL", "True-Host", "Original-URL", "Original-Host", "X-Original",
        "X-Proto", "X-Protocol", "X-Port", "X-Server-Name", "X-Server-Port", "X-External-URL", "X-Replaced-Path",
        "Base-Url", "Request-Uri", "X-Context-Path", "X-Method", "X-Requested-Method", "XForwarded-Host",
    ]

    /// Fields that apps send to their own servers, some with names like those of proxies.
    static let apps = [
        "X-XSRF-TOKEN", "X-Requested-With", "X-Api-Key", "Api-Key", "Authorization", "X-Auth-Token",
        "X-Auth-Key", "X-Client-Version", "X-Client-Id", "X-Client-Name", "X-User-Agent", "X-User-Id", "X-User-Token",
        "X-Request-ID", "X-Correlation-ID", "X-App-Version", "X-Device-Id", "X-Session-Id", "X-Tenant-Id", "X-Locale",
        "X-Timezone", "X-Inertia", "X-Livewire", "HX-Request", "Turbo-Frame", "X-Up-Version", "X-Up-Target",
        "Idempotency-Key", "Prefer", "Traceparent", "Baggage", "Sentry-Trace", "Accept-Language", "Content-Language",
        "X-Amz-Date", "X-Shopify-Access-Token", "X-Goog-Api-Key", "X-GitHub-Api-Version", "X-Portal", "X-Methods",
        "X-Upload-Id", "Upload-Offset", "Tus-Resumable", "Apollo-Require-Preflight", "Sec-GPC",
    ]

    private let target = OriginTarget("https://m.example.com/shop/a.js")!

    private func forwarded(_ name: String, _ exceptions: [String] = []) -> [String] {
        let request = CacheExchange.get([(name, "evil"), ("X-CSRF-Token", "1")])
        let fields = OriginRequest.make(from: request, target: target, forwarding: exceptions).headerFields
        #expect(fields[HTTPField.Name("X-CSRF-Token")!] == "1")
        return fields.filter { $0.value == "evil" }.map(\.name.rawName)
    }

    @Test("never reach the origin from a client", arguments: names)
    func dropped(name: String) {
        #expect(forwarded(name).isEmpty)
        #expect(forwarded(name.uppercased()).isEmpty)
    }

    @Test("nor do spellings that CGI, WSGI, Rack or PHP treat as the same", arguments: names)
    func otherSpellings(name: String) {
        let underscored = name.replacingOccurrences(of: "-", with: "_")
        #expect(forwarded(underscored).isEmpty)
        #expect(forwarded(name.replacingOccurrences(of: "-", with: ".")).isEmpty)
        #expect(forwarded("HTTP_" + underscored.uppercased()).isEmpty)
    }

    @Test("aren't those that apps use themselves", arguments: apps)
    func passed(name: String) {
        #expect(forwarded(name) == [name])
    }

    @Test(
        "nor do spellings that a program could normalise to the same name",
        arguments: [
            "HTTP_HTTP_X_FORWARDED_HOST", "HTTP-HTTP_HTTP-Remote_User", "XForwardedHost", "X-ForwardedFor",
            "xforwarded_for",
            "HTTP_XFORWARDEDPROTO",
        ]
    )
    func repeatedPrefixes(name: String) {
        #expect(forwarded(name).isEmpty)
    }

    @Test("are those that OriginRequests.md lists")
    func documented() throws {
        let text = try Project.text("Sources/BundleNetwork/BundleNetwork.docc/OriginRequests.md")
        let section = text.components(separatedBy: "\n## Proxy fields\n")[1].components(separatedBy: "\n## ")[0]
        let list = section.drop { $0 != "-" }
        let fields = list.matches(of: /`([^`]+)`/).map { $0.output.1.lowercased() }
        let listed = ProxyInstructionFields.prefixes.map { $0 + "*" } + ProxyInstructionFields.names
        #expect(fields.sorted() == listed.sorted())
    }

    @Test("reach it when the manifest names them, in that spelling only")
    func exceptions() {
        #expect(forwarded("x-forwarded-for", ["X-Forwarded-For"]) == ["x-forwarded-for"])
        #expect(forwarded("X_Forwarded_For", ["X-Forwarded-For"]).isEmpty)
        #expect(forwarded("X-Forwarded-Host", ["X-Forwarded-For"]).isEmpty)
        // It doesn't restore fields that a request must not have.
        #expect(forwarded("Range", ["Range"]).isEmpty)
        #expect(forwarded("Transfer-Encoding", ["Transfer-Encoding"]).isEmpty)
    }

    @Test("keep a response from being stored that they may have changed, unless Vary names them")
    func storing() {
        var exchange = CacheExchange(cacheControl: "public, max-age=60")
        #expect(exchange.isStorable(shared: true))
        exchange.request.headerFields[HTTPField.Name("X-Forwarded-Host")!] = "evil.example"
        #expect(!exchange.isStorable(shared: true) && !exchange.isStorable(shared: false))
        exchange.response.headerFields[.vary] = "Accept"
        #expect(!exchange.isStorable(shared: true))
        exchange.response.headerFields[.vary] = "Accept, x-forwarded-host"
        #expect(exchange.isStorable(shared: true))
    }
}
