/// Response fields whose effect reaches beyond the response: to everything on its origin or host, or to later requests.
/// A bundle serves only a part of its host, so neither its manifest nor its origins may set them. Where it is alone on
/// its host, an origin may set those of ``hostNames``.
///
/// `Reporting-Endpoints` isn't among them: it applies only to its own document (W3C Reporting API §3.2). Nor is
/// `Set-Cookie`: it is confined when it comes from an origin, and never sent for a manifest.
package enum OriginWideField {
    /// The names, in lower case.
    package static let names: Set<String> = [
        // Whether a service worker may control pages outside its own folder, and what a browser deletes for the whole
        // origin (W3C Service Workers §6.2, W3C Clear Site Data).
        "service-worker-allowed", "clear-site-data",
        // Alternative services of the origin (RFC 7838), and where browsers report observations about the host (W3C
        // Network Error Logging; the first Reporting API).
        "alt-svc", "nel", "report-to",
        // TLS only, including other ports (RFC 6797 §7.2), and only with certain certificates (RFC 7469, RFC 9163).
        "strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct",
        // A cookie of RFC 2965, and the origin's login state and sessions (FedCM; Device Bound Session Credentials).
        "set-cookie2", "set-login", "sec-session-registration", "secure-session-registration",
    ]

    /// Those of ``names`` that concern nothing but the one host: a worker's scope, what a browser deletes, a cookie that
    /// no browser takes any more, a login state, and pins, which a browser notes only if they are those of the very
    /// connection (RFC 7469 §2.5). The others concern other ports and subdomains too, or are about how the origin itself
    /// is reached.
    static let hostNames: Set<String> = [
        "service-worker-allowed", "clear-site-data", "set-cookie2", "set-login", "public-key-pins",
        "public-key-pins-report-only",
    ]

    /// Whether an origin's field of this name is left out.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - ownsHost: Whether the bundle has the host for itself.
    package static func isRefused(fromOrigin name: String, ownsHost: Bool) -> Bool {
        names.contains(name) && !(ownsHost && hostNames.contains(name))
    }

    /// Whether a manifest's field of this name is left out.
    package static func isRefused(inManifest name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || name == "set-cookie"
    }
}
