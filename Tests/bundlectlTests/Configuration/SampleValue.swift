import ArgumentParser

@testable import bundlectl

/// A valid value of an option of `serve` that isn't its default, found by trying: a new option has one at once, or a test says
/// that a form is missing here.
enum SampleValue {
    private static let forms = [
        "7", "7s", "7KB", "660", "json", "debug", "loopback", "always", "when-idle", "shop=/", "shop=shop.example",
        "X-A: 1",
        "https://a.example", "127.0.0.1:7", "otlp+http://a.example/v1/metrics",
    ]

    /// What an option needs beside it on the command line.
    static let companions = [
        "socket-mode": ["--listen", "unix:/a.sock"], "tls-certificate": ["--tls-key", "k.pem"],
        "tls-key": ["--tls-certificate", "c.pem"], "watch": ["dist"], "manifest": ["dist"],
        "admin-token-file": ["--admin", "unix:/a.sock"], "webhook-label": webhook, "webhook-header-file": webhook,
        "webhook-secret-file": webhook,
    ]

    private static let webhook = ["--webhook", "https://a.example/hook"]

    /// Nil when no form is valid.
    static func of(_ option: ConfigurableOption) -> String? {
        guard option.kind != .flag else { return "true" }
        return forms.first { form in
            let arguments = ["--\(option.name)=\(form)"] + (companions[option.name] ?? [])
            return (try? Serve.parse(arguments)) != nil
        }
    }
}
