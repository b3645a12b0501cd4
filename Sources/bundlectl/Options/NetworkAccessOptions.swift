import ArgumentParser
import BundleNetwork
import BundleStore
import BundleTransport
import BundleUpdate
import Foundation

/// How a verb reaches other hosts. For all verbs that use the network.
struct NetworkAccessOptions: ParsableArguments {
    @Option(
        name: .customLong("ca-certificate"),
        help: ArgumentHelp(
            "Also trust the authorities whose certificates are in this PEM file; may be repeated. SSL_CERT_FILE and SSL_CERT_DIR "
                + "name what is trusted in place of the system's.",
            valueName: "file"
        ),
        completion: .file()
    )
    var authorities: [String] = []

    @Option(
        help: ArgumentHelp(
            "Reach other hosts through this HTTP proxy: http://HOST:PORT. Default: HTTPS_PROXY for https, http_proxy for http, "
                + "else ALL_PROXY.",
            valueName: "proxy"
        )
    )
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Reach these hosts without the proxy, separated by commas: names with their subdomains, addresses, networks such "
                + "as 10.0.0.0/8, * for all. Default: NO_PROXY.",
            valueName: "hosts"
        )
    )
    var noProxy: String?

    @Option(
        help: ArgumentHelp(
            "A netrc file with the users and passwords for the hosts of feeds: machine HOST login USER password PASSWORD. They "
                + "are sent over https only. Default: NETRC.",
            valueName: "file"
        ),
        completion: .file()
    )
    var netrcFile: String?

    func validate() throws {
        guard let proxy else { return }
        if ForwardProxy.hasCredential(proxy) {
            throw ValidationError(
                "--proxy has a user, and everyone on this machine can read command lines; leave it out, and give the URL in "
                    + "the variable HTTPS_PROXY, http_proxy or ALL_PROXY"
            )
        }
        do {
            _ = try ForwardProxy(proxy)
        } catch {
            throw ValidationError("--proxy: \(error.message)")
        }
    }

    /// Reads the files, and the variables of other programs for the network.
    ///
    /// - Parameter warn: Called with lines about what is wrong, and yet no error.
    /// - Throws: `BundleError` with code `inputUnavailable` when a file can't be read, `invalidArgument` when it, or a
    ///   variable, is wrong.
    func read(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        warn: ([String]) -> Void
    ) throws(BundleError) -> NetworkAccess {
        NetworkAccess(
            trust: try TrustedCertificates(
                adding: authorities,
                replacingSystem: Self.trustStores(environment: environment)
            ),
            proxies: try proxies(environment: environment),
            credentials: try NetrcFile.read(netrcFile, variable: environment["NETRC"], warn: warn)
        )
    }

    /// The proxies that are given, else those that variables name.
    private func proxies(environment: [String: String]) throws(BundleError) -> ForwardProxies {
        let variables = ProxyVariables(environment)
        let excluded = noProxy ?? variables.excluded
        guard let proxy else {
            return ForwardProxies(http: variables.http, https: variables.https, excluding: excluded)
        }
        let given = try ForwardProxy(proxy)
        return ForwardProxies(http: given, https: given, excluding: excluded)
    }

    /// What is trusted in place of the system's certificates: a file, and folders that colons separate (openssl-env(7)).
    static func trustStores(environment: [String: String]) -> [String] {
        let file = environment["SSL_CERT_FILE"].map { [$0] } ?? []
        let folders = environment["SSL_CERT_DIR"]?.split(separator: ":").map(String.init) ?? []
        return file.filter { !$0.isEmpty } + folders
    }
}

/// How this process reaches other hosts. A value type.
struct NetworkAccess: Sendable {
    /// Whose certificates are trusted.
    var trust = TrustedCertificates.system
    /// Which proxy requests go through.
    var proxies = ForwardProxies.none
    /// The users and passwords for feeds.
    var credentials = FeedCredentials.none

    /// A network for the requests of a command.
    func transport() -> NIOTransport { NIOTransport(trust: trust, proxies: proxies) }
}
