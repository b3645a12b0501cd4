/// Response fields whose effect reaches beyond the response: to everything on its origin or host, or to later requests.
/// A bundle serves only a part of its host, so neither its manifest nor its origins may set them.
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

    /// Whether a manifest's field of this name is left out.
    package static func isRefused(inManifest name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || name == "set-cookie"
    }
}
