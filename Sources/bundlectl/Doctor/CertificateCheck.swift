import BundleStore
import Foundation

/// The server's own certificate, and those that the system trusts. Pure.
enum CertificateCheck {
    /// Where Linux distributions have the certificates that are trusted; the transport reads the first.
    private static let trustStores = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]
    private static let day: TimeInterval = 86_400
    /// Certificates are renewed a third of their life ahead, the shortest ones of six days two days ahead.
    private static let noticedDays = 14

    /// What is found of the server's own.
    static func finding(_ validity: ClosedRange<Date>, at path: String, now: Date) -> Finding {
        let days = Int((validity.upperBound.timeIntervalSince(now) / day).rounded(.down))
        let end = Timestamp.text(validity.upperBound)
        if days < 0 || now > validity.upperBound {
            let message = "\(path) has expired, \(end): clients refuse it"
            return Finding(.error, .certificates, message, remedy: "renew it; a running server reads it again")
        }
        if now < validity.lowerBound {
            let message = "\(path) isn't valid before \(Timestamp.text(validity.lowerBound))"
            return Finding(.error, .certificates, message, remedy: "look at the clock of this machine")
        }
        // Of what is made for a short time only the last third.
        let life = validity.upperBound.timeIntervalSince(validity.lowerBound) / day
        guard Double(days) >= min(Double(noticedDays), life / 3) else {
            return Finding(
                .warning,
                .certificates,
                "\(path) expires in \(Quantity.text(days, "day")), \(end)",
                remedy: "renew it"
            )
        }
        return Finding(.ok, .certificates, "\(path) is valid for \(Quantity.text(days, "day")), until \(end)")
    }

    /// What is found of those that are trusted.
    ///
    /// - Parameter chosen: Where they are in place of the system's, by variables.
    static func trust(chosen: [String], isReadable: (String) -> Bool) -> Finding {
        if let path = chosen.first(where: { !isReadable($0) }) {
            return Finding(
                .error,
                .certificates,
                "\(Printable.line(path)) can't be read: no https origin or feed can be asked",
                remedy: "correct SSL_CERT_FILE or SSL_CERT_DIR, or unset it for the system's certificates"
            )
        }
        if !chosen.isEmpty {
            let places = chosen.map(Printable.line).joined(separator: ", ")
            return Finding(.ok, .certificates, "those in \(places) are trusted, in place of the system's")
        }
        if let path = trustStores.first(where: isReadable) {
            return Finding(.ok, .certificates, "the system trusts those in \(path)")
        }
        return Finding(
            .warning,
            .certificates,
            "there is no list of trusted certificates in /etc/ssl or /etc/pki: no https origin or feed can be asked",
            remedy: "install it: “apt-get install ca-certificates”"
        )
    }
}
