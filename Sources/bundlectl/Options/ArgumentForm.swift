import ArgumentParser

/// What the placeholders of the help stand for, each with an example: a refusal of a value says it. The one list of them; a
/// test tries each option and argument of each verb.
enum ArgumentForm {
    /// The form of what `<placeholder>` stands for; nil where any text is accepted.
    static func text(of placeholder: String) -> String? { forms[placeholder] }

    private static let duration = "a whole number and a unit (s, m, h, d), at most 365d, such as 15m"
    private static let size = "a whole number above 0 and a unit (B, KB, MB, GB, TB), such as 500MB"
    private static let name =
        "1 to 64 of a-z 0-9 . _ -, the first a letter or digit, such as shop"
    private static let version = "a semantic version, or numbers with dots, such as 1.4.0 or 2.0.0-beta.1"
    private static let channel = "1 to 64 of A-Z a-z 0-9 . _ -, such as stable"

    private static let forms = [
        "address":
            "PORT or HOST:PORT with a port of 0 to 65535, unix:PATH, systemd or systemd:NAME, such as 127.0.0.1:8080 or "
            + "unix:/run/bundles.sock",
        "api-url":
            "an http or https URL without a user, a query and a fragment, such as http://metrics.example.com:9090",
        "archive": "the path of a file, such as shop-1.0.0.zip",
        "archive|dir|url":
            "a file, a folder, or an http, https or file URL, such as shop-1.0.0.zip, dist or "
            + "https://get.example.com/shop/feed.json",
        "channel": channel,
        "collector":
            "otlp+ or pushgateway+ and an http or https URL without a user, a query and a fragment, such as "
            + "otlp+http://127.0.0.1:4318/v1/metrics",
        "dir": "the path of a folder, such as public",
        "duration": duration,
        "duration|none": "a whole number and a unit (s, m, h, d), from 1s to 7d, such as 15m; or none",
        "duration|off": "\(duration); or off",
        "feed-url":
            "an http or https URL without a user and a fragment, or a file URL, such as https://get.example.com/shop/feed.json "
            + "or file:///media/usb/feed.json",
        "field": "the name of a response field other than Cache-Control, such as CDN-Cache-Control",
        "file": "the path of a file, such as rules.json",
        "group": "1 to 64 of A-Z a-z 0-9 . _ -, such as lab",
        "hosts": "names, addresses and networks, separated by commas, such as example.com,10.0.0.0/8",
        "hex": "64 hexadecimal digits, such as sha256sum prints",
        "host": "a host, or * for any, such as kiosk.example or [fe80::1]",
        "head-size": "a whole number above 0 and a unit (B, KB), at most 64 KiB, such as 16KB",
        "instance|off": "1 to 128 printable characters of ASCII, or off, such as kiosk-7",
        "interval": "minutes that divide an hour, hours that divide a day, or 1d, such as 15m or 6h",
        "key=value":
            "KEY=VALUE, with 1 to 64 letters, digits and . _ - before the =, and at most 256 bytes after it, such as site=berlin",
        "label=value":
            "NAME=VALUE, with 1 to 64 letters, digits and _ before the =, that Prometheus and the metrics don't use themselves, and 1 to "
            + "256 bytes after it, such as site=42",
        "mode": "an octal number, such as 660",
        "n": "a whole number, such as 2",
        "name": name,
        "name=/path": "NAME=/PATH, such as shop=/",
        "name=host": "NAME=HOST, without a port and not under localhost, such as shop=shop.example",
        "name@version": "NAME@VERSION, such as shop@1.4.0",
        "name[@version]": "NAME or NAME@VERSION, such as shop or shop@1.4.0",
        "names": name,
        "origin": "a scheme and a host, null, or * for any, such as https://app.example.com",
        "percent": "a number above 0 and at most 100, such as 10% or 12.5%",
        "percents": "percentages above 0 that rise, with commas between them, such as 1,10,50,100",
        "place":
            "a file, a folder, or an http, https or file URL, such as public/shop or https://get.example.com/shop/feed.json",
        "proxy": "http://HOST:PORT, such as http://proxy.example.com:3128",
        "public-url": "an http or https URL of a folder, such as https://kiosk.example/kiosk/",
        "sha256:hex":
            "sha256: and 64 hexadecimal digits, such as sha256:\(String(repeating: "0123456789abcdef", count: 4))",
        "size": size,
        "size|off": "\(size); or off",
        "url": "an http or https URL without a user and a fragment, such as https://get.example.com/shop/feed.json",
        "url[=path]": "URL or URL=/PATH, such as https://m.example.com/shop/ or https://m.example.com/=/www",
        "version": version,
    ]
}

extension ValidationError {
    /// The refusal of a value whose form is right, as the parser refuses one whose form is wrong.
    ///
    /// - Parameters:
    ///   - value: The value that was given.
    ///   - option: The option, with its hyphens.
    ///   - form: What is allowed.
    ///   - example: A value that is.
    init(_ value: some CustomStringConvertible, of option: String, mustBe form: String, suchAs example: String) {
        self.init("The value '\(value)' is invalid for '\(option)': it must be \(form), such as \(example)")
    }
}
