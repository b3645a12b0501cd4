/// Response fields by which a server speaks for more than the response: for everything on its origin or host, or for a time after
/// that. A bundle is a part of what its host answers, so it can't say them, and neither can its origins.
///
/// `Reporting-Endpoints` isn't among them, which concerns the one document that it comes with (W3C Reporting API §3.2); nor is
/// `Set-Cookie`, which is confined where it comes from an origin, and not for manifests to set.
public enum OriginWideField {
    /// The names, in lower case.
    public static let names: Set<String> = [
        // Where a service worker may answer beside its own folder, and what is thrown away for all (W3C Service Workers §6.2, W3C
        // Clear Site Data).
        "service-worker-allowed", "clear-site-data",
        // Where else the origin may be asked (RFC 7838), and whom browsers tell what they saw of the host (W3C Network Error
        // Logging; the first Reporting API).
        "alt-svc", "nel", "report-to",
        // Only over TLS from now on, also on other ports (RFC 6797 §7.2), and only with certain certificates (RFC 7469, RFC 9163).
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
