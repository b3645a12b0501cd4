import BundleStore
import BundleTransport

/// The proxies that variables name, by the rules of curl(1): lower case takes precedence over upper case, and empty variables as
/// unset. A value type.
struct ProxyVariables {
    private let environment: [String: String]

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// For `http` URLs. `HTTP_PROXY` isn't read: CGI programs get a client's field `Proxy` in it (CVE-2016-5385).
    var http: ForwardProxies.Choice { proxy(of: ["http_proxy", "all_proxy", "ALL_PROXY"]) }

    /// For `https` URLs.
    var https: ForwardProxies.Choice { proxy(of: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]) }

    /// The hosts that are reached directly.
    var excluded: String { value(of: ["no_proxy", "NO_PROXY"])?.value ?? "" }

    private func proxy(of names: [String]) -> ForwardProxies.Choice {
        guard let (name, value) = value(of: names) else { return .success(nil) }
        do {
            return .success(try ForwardProxy(value))
        } catch {
            return .failure(error.located(at: name))
        }
    }

    private func value(of names: [String]) -> (name: String, value: String)? {
        names.lazy.compactMap { name in environment[name].map { (name, $0) } }.first { !$0.1.isEmpty }
    }
}
