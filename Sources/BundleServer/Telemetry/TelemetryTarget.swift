import BundleStore
import Foundation

/// Where metrics are pushed to. A value type.
package struct TelemetryTarget: Sendable, Equatable {
    /// What a collector understands.
    enum Form: String, CaseIterable, Sendable {
        /// OTLP/HTTP in JSON.
        case otlp
        /// Prometheus' Pushgateway.
        case pushgateway
    }

    let form: Form
    /// As the operator gives it, without the form.
    private let base: URL

    /// `otlp+http://HOST:PORT/v1/metrics` or `pushgateway+http://HOST:PORT`, both also with `https`. OTLP has the path `/v1/metrics` if
    /// none is given. Nil for another form, and for a URL with a user, a query or a fragment.
    package init?(_ text: String) {
        guard let plus = text.firstIndex(of: "+"), let form = Form(rawValue: String(text[..<plus])) else { return nil }
        let address = String(text[text.index(after: plus)...])
        guard let parsed = try? HTTPURL(address), !parsed.hasQuery, !parsed.hasFragment,
            let base = URL(string: address, encodingInvalidCharacters: false)
        else { return nil }
        (self.form, self.base) = (form, base)
    }

    /// Where an installation's metrics go.
    func url(for identity: FleetIdentity) -> URL {
        let path = base.path(percentEncoded: true)
        switch form {
        case .otlp: return path.isEmpty || path == "/" ? base.appending(path: "v1/metrics") : base
        case .pushgateway:
            // The grouping key: <https://github.com/prometheus/pushgateway#url>.
            let installation = identity.installation.map { [Self.pair("instance", $0)] } ?? []
            let key = ["job/\(identity.program)"] + installation + identity.labels.map { Self.pair($0.name, $0.value) }
            let root = base.absoluteString.hasSuffix("/") ? base.absoluteString.dropLast() : base.absoluteString[...]
            return URL(string: "\(root)/metrics/\(key.joined(separator: "/"))") ?? base
        }
    }

    /// A value that could be no part of a path is in Base64.
    private static func pair(_ name: String, _ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_".utf8.contains($0) }
        guard !isPlain else { return "\(name)/\(value)" }
        let coded = Data(value.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return "\(name)@base64/\(coded)"
    }
}
