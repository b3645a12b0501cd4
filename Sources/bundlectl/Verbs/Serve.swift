import ArgumentParser
import BundleInstall
import BundleNetwork
import BundleServer
import BundleServing
import BundleStore
import Logging

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answer over HTTP from the bundles, the cache and the network.",
        discussion: """
            A bundle opens at http://NAME.localhost:PORT/, where --host and --mount put it, and by the Host of its origins; each is \
            an origin of its own for browsers. Tools on this machine find it at /NAME/ too, and by absolute request targets. \
            What other processes install, activate or roll back is seen within a second. SIGINT and SIGTERM end it, \
            with status 0, when the requests under way are answered, or after 10 seconds. Files that gain from it are \
            compressed once, after they were first asked for, and sent to browsers that have an earlier version as the \
            difference to that.

            Example:
              bundlectl serve --listen 127.0.0.1:8080 --mount shop=/ --check-every 15m
            """
    )

    @Option(
        help: ArgumentHelp(
            "Where to listen: HOST:PORT, on each of the host's addresses; port 0 takes a free one; unix:PATH; or systemd, "
                + "for the sockets of its .socket unit, systemd:NAME for some of them.",
            valueName: "address"
        )
    )
    var listen = ListenAddress.tcp(host: "127.0.0.1", port: 8080)

    @Option(help: ArgumentHelp("Who may connect to a Unix socket: 660. Default: as the umask says.", valueName: "mode"))
    var socketMode: SocketMode?

    @Option(
        help: ArgumentHelp(
            "Also answer requests for this host, * for any; may be repeated. By default the server answers for this machine, "
                + "the host it listens on, and the bundles' origins.",
            valueName: "host"
        )
    )
    var allowHost: [AllowedHost] = []

    @Option(
        help: ArgumentHelp(
            "Answer over HTTPS, with the certificate in this PEM file and --tls-key. Renewed files are taken by themselves.",
            valueName: "file"
        )
    )
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The certificate's private key, a PEM file without a passphrase.", valueName: "file"))
    var tlsKey: String?

    @OptionGroup var responseFields: ResponseFieldOptions

    @OptionGroup var serving: ServingOptions

    @Option(help: ArgumentHelp("Update the bundles this often: 90s, 15m, 6h, 1d.", valueName: "duration"))
    var checkEvery: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Read the whole store again this often, at the lowest priority, and repair what is damaged: 12h, 1d. "
                + "Default: repair only the damage that the server comes across.",
            valueName: "duration"
        )
    )
    var scrubEvery: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "How many bytes compressed forms of the files may have in the store; off sends files as they are.",
            valueName: "size|off"
        )
    )
    var variantQuota = VariantQuotaArgument.bytes(VariantStore.defaultQuota)

    @Flag(
        help: ArgumentHelp(
            "Don't tell pages their version by a cookie. After an update an open page then gets its late parts from the new one."
        )
    )
    var noVersionCookie = false

    @OptionGroup var origins: OriginNetworkOptions

    @OptionGroup var operation: OperationOptions

    @OptionGroup var limitation: LimitOptions

    @Flag(help: "Log each request.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print the address and errors only.")
    var quiet = false

    @OptionGroup var store: StoreOptions

    func validate() throws {
        if scrubEvery?.duration == .zero { throw ValidationError("--scrub-every must be longer than 0s") }
        if checkEvery?.duration == .zero { throw ValidationError("--check-every must be longer than 0s") }
        if socketMode != nil {
            guard case .unix = listen else {
                throw ValidationError("--socket-mode is for a Unix socket; give --listen unix:PATH, or leave it out")
            }
        }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-certificate and --tls-key go together; give both or none")
        }
        if verbose, quiet { throw ValidationError("--verbose and --quiet exclude each other; leave one out") }
    }

    func run() async throws {
        let logger = Logger(label: "bundlectl") { _ in LineLogHandler(level: logLevel) }
        DescriptorLimit.raise()
        let store = try store.open(creating: true) { logger.warning("\(Advice.line($0))") }
        for warning in warnings(about: store) { logger.warning("\(warning)") }
        let network = origins.network
        var configuration = configuration
        configuration.originNetwork = network
        let transport = AsyncHTTPClientTransport(network: network)
        let installer = Installer(detectingTypesIn: store)
        let endpoint = BundleEndpoint(
            store,
            configuration: configuration,
            transport: transport,
            updater: Updater(store, installer: installer, transport: transport),
            repair: RepairRound(installer, transport: serving.offline ? nil : transport),
            logger: logger
        )
        let result: Result<Void, any Error>
        do {
            try await endpoint.run { url in
                // Whoever started the server may have stopped listening to it.
                let bundles = quiet ? "" : AddressLines.text(store.snapshot, serving.addresses, at: url)
                try? StandardStreams.write("listening on \(url)\n\(bundles)")
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        try result.get()
    }

    /// What is allowed, since bundles may be installed later, and is a slip of the pen most of the time.
    private func warnings(about store: BundleStore) -> [String] {
        let bundles = store.snapshot.bundles
        if bundles.isEmpty {
            return ["the store in \(store.path) is empty; what is installed into it will be answered"]
        }
        let named = serving.mounts.map { ("--mount", $0.name) } + serving.hosts.map { ("--host", $0.name) }
        return named.filter { bundles[$0.1] == nil }.map { "\($0.0): there is no bundle \($0.1) yet" }
    }

    private var configuration: BundleEndpoint.Configuration {
        var configuration = BundleEndpoint.Configuration()
        configuration.address = listen
        configuration.socketMode = socketMode
        configuration.allowedHosts = Set(allowHost)
        if let tlsCertificate, let tlsKey {
            configuration.tls = TLSFiles(certificate: tlsCertificate, key: tlsKey)
        }
        configuration.headerFields = responseFields.fields
        configuration.allowedOrigins = Set(responseFields.origins)
        configuration.addresses = serving.addresses
        configuration.admin = operation.admin
        configuration.accessLogPath = operation.accessLog
        configuration.accessLogFormat = operation.accessLogFormat
        configuration.isOffline = serving.offline
        configuration.variantQuota = variantQuota.byteCount
        configuration.checkInterval = checkEvery?.duration
        configuration.scrubInterval = scrubEvery?.duration
        configuration.tellsPageVersions = !noVersionCookie
        configuration.limits = limitation.limits
        return configuration
    }

    private var logLevel: Logger.Level { verbose ? .debug : quiet ? .error : .info }
}
