import ArgumentParser
import BundleNetwork
import BundleStore
import BundleTransport
import BundleUpdate
import Foundation
import HTTPTypes

/// How a verb reaches other hosts. For all verbs that use the network.
struct NetworkAccessOptions: ParsableArguments {
    static let options = [authorities, proxy, noProxy, netrcFile, credentialsFile]

    private static let authorities = ConfigurableOption.list(
        "ca-certificate",
        "Also trust the authorities whose certificates are in this PEM file; may be repeated. SSL_CERT_FILE and SSL_CERT_DIR "
            + "name what is trusted in place of the system's.",
        value: "file"
    )
    @Option(Self.authorities, completion: .file()) var authorities: [String] = []

    private static let proxy = ConfigurableOption(
        "proxy",
        "Reach other hosts through this HTTP proxy: http://HOST:PORT.",
        value: "proxy",
        default: "HTTPS_PROXY for https, http_proxy for http, else ALL_PROXY"
    )
    @Option(Self.proxy) var proxy: String?

    private static let noProxy = ConfigurableOption(
        "no-proxy",
        "Reach these hosts without the proxy, separated by commas: names with their subdomains, addresses, networks such "
            + "as 10.0.0.0/8, * for all.",
        value: "hosts",
        default: "NO_PROXY"
    )
    @Option(Self.noProxy) var noProxy: String?

    private static let netrcFile = ConfigurableOption(
        "netrc-file",
        "A netrc file with the users and passwords for the hosts of feeds: machine HOST login USER password PASSWORD. They "
            + "are sent over https only.",
        value: "file",
        default: "NETRC"
    )
    @Option(Self.netrcFile, completion: .file()) var netrcFile: String?

    private static let credentialsFile = ConfigurableOption(
        "credentials-file",
        "A JSON file with what the hosts of feeds want to see, by origin: Authorization, a header, or a client's certificate.",
        value: "file",
        default: CredentialsFile.variable
    )
    @Option(Self.credentialsFile, completion: .file()) var credentialsFile: String?

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
        let variable = environment[CredentialsFile.variable].flatMap { $0.isEmpty ? nil : $0 }
        let path = credentialsFile ?? variable
        let file = try path.map { path throws(BundleError) in try CredentialsFile(path) } ?? CredentialsFile()
        return NetworkAccess(
            trust: try TrustedCertificates(
                adding: authorities,
                replacingSystem: Self.trustStores(environment: environment)
            ),
            proxies: try proxies(environment: environment),
            credentials: try NetrcFile.read(netrcFile, variable: environment["NETRC"], warn: warn)
                .adding(file.fields),
            identities: file.identities
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
    /// What the hosts of feeds want to see.
    var credentials = FeedCredentials.none
    /// The certificates that they want to see.
    var identities: [ClientIdentity] = []

    /// Calls `body` with a network for the requests of a command. The network ends with the call.
    func withTransport<Success, Failure: Error>(
        _ body: (NIOTransport) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let transport = NIOTransport(trust: trust, proxies: proxies, identities: identities)
        return try await concluding { () async throws(Failure) in
            try await body(transport)
        } finally: {
            await transport.shutdown()
        }
    }
}

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

/// A file with users and passwords for feeds.
enum NetrcFile {
    /// Far more than anyone has.
    private static let maximumByteCount = 1 << 20

    /// Reads the file that an option names, or else the one that a variable names for all programs: that may be absent or
    /// of another form, and then there are no credentials, and a warning says so.
    ///
    /// - Parameters:
    ///   - path: What the option names; nil when it isn't given.
    ///   - variable: What the variable names; nil when it isn't set, and empty counts as that.
    ///   - warn: Called with a line for each thing that is wrong, and yet no error.
    /// - Throws: `BundleError` with code `inputUnavailable` when the option's file can't be read, `invalidArgument` when it
    ///   has another form.
    static func read(
        _ path: String?,
        variable: String?,
        warn: ([String]) -> Void
    ) throws(BundleError) -> FeedCredentials {
        if let path { return try read(path, warn) }
        guard let variable, !variable.isEmpty else { return .none }
        do {
            return try read(variable, warn)
        } catch {
            warn(["NETRC isn't used: \(error.message)"])
            return .none
        }
    }

    private static func read(_ path: String, _ warn: ([String]) -> Void) throws(BundleError) -> FeedCredentials {
        let shown = Printable.line(path)
        let file = try InputDocument(path, atMost: maximumByteCount)
        guard file.bytes.count <= maximumByteCount, let text = String(validating: file.bytes, as: UTF8.self) else {
            throw BundleError(
                .invalidArgument,
                "\(shown) has over \(ByteCount.roundedUp(Int64(maximumByteCount))), or isn't UTF-8; is it a netrc file?"
            )
        }
        let credentials: FeedCredentials
        do {
            credentials = try FeedCredentials(netrc: text)
        } catch {
            throw error.located(at: shown)
        }
        if file.mode & 0o044 != 0 {
            warn(["other users can read the passwords in \(shown): “chmod 600 \(shown)” keeps them out"])
        }
        if credentials.hasDefault {
            warn(["\(shown): “default” isn't used, for a feed can name any host; name the hosts with “machine”"])
        }
        return credentials
    }
}

extension ProductVersion {
    /// The User-Agent of this program's own requests (RFC 9110 §10.1.5).
    static let userAgent = "bundlectl/\(string)"
}

extension HTTPRequest {
    /// A request for an absolute URL with a host.
    init(_ method: Method, _ url: URL, _ fields: HTTPFields = [:]) {
        self.init(
            method: method,
            scheme: url.scheme,
            authority: url.host().map { host in url.port.map { "\(host):\($0)" } ?? host },
            path: (url.path().isEmpty ? "/" : url.path()) + (url.query().map { "?\($0)" } ?? ""),
            headerFields: fields
        )
    }
}
