/// Response fields whose effect reaches beyond the response: to everything on its origin or host, or to later requests.
/// A bundle is only a part of what its host answers, so neither its manifest nor its origins may set them.
///
/// `Reporting-Endpoints` isn't among them: it concerns only the document that it comes with (W3C Reporting API §3.2).
/// Nor is `Set-Cookie`: it is confined when it comes from an origin, and never sent for a manifest.
public enum OriginWideField {
    /// The names, in lower case.
    public static let names: Set<String> = [
        // Where a service worker may answer outside its own folder, and what a browser deletes for the whole origin
        // (W3C Service Workers §6.2, W3C Clear Site Data).
        "service-worker-allowed", "clear-site-data",
        // Alternative services of the origin (RFC 7838), and where browsers report what they observe of the host (W3C
        // Network Error Logging; the first Reporting API).
        "alt-svc", "nel", "report-to",
        // TLS only, on other ports too (RFC 6797 §7.2), and only with certain certificates (RFC 7469, RFC 9163).
        "strict-transport-security", "public-key-pins", "public-key-pins-report-only", "expect-ct",
        // A cookie of RFC 2965, and the origin's login state and sessions (FedCM; Device Bound Session Credentials).
        "set-cookie2", "set-login", "sec-session-registration", "secure-session-registration",
    ]

    /// Whether a manifest's field of this name is left out.
    public static func isRefused(inManifest name: String) -> Bool {
        let name = name.lowercased()
        return names.contains(name) || name == "set-cookie"
    }
}
