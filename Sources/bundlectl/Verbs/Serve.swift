import ArgumentParser
import BundleCoding
import BundleInstall
import BundleNetwork
import BundleServer
import BundleServing
import BundleStore
import BundleTar
import BundleTransport
import BundleUpdate
import Logging

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the bundles, the cache and the network over HTTP.",
        discussion: """
            A bundle opens at http://NAME.localhost:PORT/, at the addresses of --host and --mount, and by the Host of \
            its origins; each is an origin of its own for browsers. Tools on this machine also find it at /NAME/, and \
            by absolute request targets. Changes by other processes (install, activate, rollback) count for each request \
            that begins after them. SIGINT and SIGTERM end the server, with status 0, when the current responses have been sent, or \
            after 10 seconds. Clients on other machines get compressible files compressed, and as deltas to earlier versions that \
            they have; clients on this machine get files as they are.

            With a folder, that alone is served, as a bundle that isn't packed: by its bundle.json or that of --manifest, or by \
            what init would write. With --watch changes of its files are served at once, and open pages reload; while a build \
            empties the folder, or what it holds can't be served, the earlier files are served, and the bundle keeps its name. \
            The store isn't used.

            Examples:
              bundlectl serve --listen 127.0.0.1:8080 --mount shop=/ --check-every 15m
              bundlectl serve dist --manifest bundle.json --watch
            """
    )

    @Argument(help: ArgumentHelp("A folder to serve in place of a store.", valueName: "dir"), completion: .directory)
    var folder: String?

    @OptionGroup var manifest: ManifestFileOptions

    static let watch = ConfigurableOption.flag(
        "watch",
        "Serve changes of the folder's files at once, and reload open pages."
    )
    @Flag(Self.watch) var watch = false

    @OptionGroup var listening: ListenOptions

    @OptionGroup var responseFields: ResponseFieldOptions

    @OptionGroup var serving: ServingOptions

    @OptionGroup var caching: CacheOptions

    @OptionGroup var networkRules: NetworkRuleOptions

    static let checkEvery = ConfigurableOption(
        "check-every",
        "The interval of updates: 90s, 15m, 6h, 1d.",
        value: "duration",
        default: "none"
    )
    @Option(Self.checkEvery) var checkEvery: DurationArgument?

    static let scrubEvery = ConfigurableOption(
        "scrub-every",
        "The interval of reading the whole store again, at the lowest priority, to repair damage: 12h, 1d.",
        value: "duration",
        default: "repair only the damage that the server detects"
    )
    @Option(Self.scrubEvery) var scrubEvery: DurationArgument?

    static let variantQuota = DefaultedOption(
        "variant-quota",
        "The largest size of compressed forms of the files in the store; off sends files as they are.",
        value: "size|off",
        default: OptionalByteCountArgument(byteCount: VariantStore.defaultQuota)
    )
    @Option(Self.variantQuota) var variantQuota: OptionalByteCountArgument

    static let compressLocal = ConfigurableOption.flag(
        "compress-local",
        "Send compressed forms to clients on this machine too, such as a reverse proxy or a tunnel that passes requests on."
    )
    @Flag(Self.compressLocal) var compressLocal = false

    static let noVersionCookie = ConfigurableOption.flag(
        "no-version-cookie",
        "Don't send version cookies. After an update an open page then gets later parts from the new version."
    )
    @Flag(Self.noVersionCookie) var noVersionCookie = false

    @OptionGroup var origins: OriginNetworkOptions

    @OptionGroup var originTimes: OriginTimeOptions

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    @OptionGroup var operation: OperationOptions

    @OptionGroup var limitation: LimitOptions

    @OptionGroup var logging: LoggingOptions

    @OptionGroup(title: "Updates")
    var shell: ShellOptions

    @OptionGroup(title: "Updates")
    var trust: TrustOptions

    @OptionGroup(title: "Updates")
    var transfer: TransferOptions

    @OptionGroup(title: "Updates")
    var onMetered: MeteredOptions

    @OptionGroup(title: "Updates")
    var activation: ActivationOptions

    static let idleAfter = DefaultedOption(
        "idle-after",
        "How long nobody may have asked for anything of a bundle before --activate when-idle takes effect.",
        value: "duration",
        default: DurationArgument(seconds: 300)
    )
    @Option(Self.idleAfter) var idleAfter: DurationArgument

    static let pageLifetime = ConfigurableOption(
        "page-lifetime",
        "How long pages that are open on an earlier version get their parts from it.",
        value: "duration",
        default: "as long as it is kept"
    )
    @Option(Self.pageLifetime) var pageLifetime: DurationArgument?

    @OptionGroup(title: "Hooks")
    var hooks: HookOptions

    @OptionGroup(title: "Telemetry")
    var telemetry: TelemetryOptions

    static let telemetryInterval = DefaultedOption(
        "telemetry-interval",
        "How often the metrics are pushed to --telemetry: 30s, 5m.",
        value: "duration",
        default: DurationArgument(seconds: 60)
    )
    @Option(Self.telemetryInterval) var telemetryInterval: DurationArgument

    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "A JSON file that sets options which the command line and the environment don't; SIGHUP has it read again.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var config: String?

    @Flag(help: "Print each option with its value and where that comes from, and end.")
    var printConfig = false

    /// What the options were combined of; nil when the command line says everything.
    var invocation: ServeInvocation?
    /// A setting for each option then; otherwise none.
    var settings: [Setting] = []

    func validate() throws {
        for (option, value) in [
            (Self.scrubEvery, scrubEvery), (Self.checkEvery, checkEvery),
            (Self.telemetryInterval.option, telemetryInterval),
        ] where value?.duration == .zero {
            throw ValidationError("0s", of: option.label, mustBe: "longer than 0s", suchAs: "12h")
        }
        if serving.offline, checkEvery != nil {
            throw ValidationError("--check-every asks feeds over the network, which --offline forbids; leave one out")
        }
        if watch, folder == nil {
            throw ValidationError("--watch is for a folder, such as “bundlectl serve dist --watch”")
        }
        if manifest.path != nil, folder == nil {
            throw ValidationError("--manifest is for a folder, such as “bundlectl serve dist --manifest bundle.json”")
        }
        if folder != nil, store.folder != nil {
            throw ValidationError("a folder is served from a store of its own; leave out the folder, or --store")
        }
    }

    func run() async throws {
        guard !printConfig else { return try printConfiguration() }
        let log = LogSettings(logging)
        let logger = Logger(label: "bundlectl") { _ in LineLogHandler(log) }
        for warning in invocation?.warnings ?? [] { logger.warning("\(warning)") }
        // Shells start programs with 1,024, for the sake of old ones that can't handle more: a quarter of what a busy
        // server has open. 131,072 are as many as a server can use.
        OpenFileLimit.raise(to: 1 << 17)
        let temporary = try folder.map { _ in try TemporaryFolder(named: "bundlectl-serve") }
        var storage = self.store
        storage.folder = temporary?.path ?? storage.folder
        let store = try storage.open(creating: true, cacheLimits: caching.limits) {
            logger.warning("\(Advice.line($0))")
        }
        let live = folder.map {
            LiveFolder(folder: $0, manifest: manifest.path, reloads: watch, requiresTrust: trust.requireTrust)
        }
        let fingerprint = live?.fingerprint()
        let first = try live?.install(into: store)
        if let report = first?.report {
            LeftOutNames.line(report.leftOut ?? []).map { logger.info("\($0)") }
            report.warnings.forEach { logger.warning("\($0)") }
        }
        for warning in warnings(about: store) { logger.warning("\(warning)") }
        let network = origins.network
        let access = try reach.read { $0.forEach { logger.warning("\($0)") } }
        let transport = originTimes.transport(network, over: access)
        // Not for pages: those of any bundle could ask a private host, which would see the operator's certificate.
        let publishers = originTimes.transport(network, over: access, showing: access.identities)
        let installer = Installer(store, formats: .zipAndTar)
        let collector = telemetry.telemetry.map {
            ($0.target, NIOTransport(trust: access.trust, proxies: access.proxies))
        }
        var configuration = try configuration(network, logger)
        configuration.identity = telemetry.identity(of: store)
        configuration.telemetry = collector.map { [identity = configuration.identity] target, transport in
            TelemetryExporter(to: target, as: identity, over: transport)
        }
        let endpoint = BundleEndpoint(
            store,
            configuration: configuration,
            transport: transport,
            updater: updater(installer, publishers, access, store),
            repair: RepairRound(
                installer,
                transport: serving.offline ? nil : publishers,
                credentials: access.credentials
            ),
            logger: logger
        )
        let reload = invocation.flatMap { [config, settings] invocation in
            config == nil
                ? nil
                : ConfigurationReload(settings, log: log, logger: logger) { needsUpdater in
                    let command = try invocation.command(try invocation.settings())
                    let updater =
                        needsUpdater(command.settings) ? command.updater(installer, publishers, access, store) : nil
                    let change = BundleEndpoint.Change(try command.configuration(network, logger), updater: updater)
                    return .init(settings: command.settings, change: change, logging: command.logging)
                }
        }
        let watching: Task<Void, Never>? =
            if watch, let live, let first {
                Task { await Self.follow(live, store, first, fingerprint, logger) }
            } else { nil }
        try await concluding {
            try await hooks.observing(store, over: access) {
                logger.warning("\($0)")
            } _: {
                try await endpoint.run(
                    onReload: reload?.atSignal,
                    onDashboard: { try? StandardStreams.write("dashboard at \($0)\n") }
                ) { url in
                    // The program that started the server may have closed the pipe.
                    let bundles = logging.quiet ? "" : AddressLines.text(store.snapshot, serving.addresses, at: url)
                    try? StandardStreams.write("listening on \(url)\n\(bundles)")
                }
            }
        } finally: {
            watching?.cancel()
            await watching?.value
            await transport.shutdown()
            await collector?.1.shutdown()
            await publishers.shutdown()
            await store.flushCache()
        }
        withExtendedLifetime(temporary) {}
    }

    private static func follow(
        _ live: LiveFolder,
        _ store: BundleStore,
        _ first: LiveFolder.Served,
        _ fingerprint: Int?,
        _ logger: Logger
    ) async {
        await live.watch(store, from: first, fingerprint) { result in
            switch result {
            case .success(let report):
                logger.info("\(report.name)@\(report.version) is served")
                report.warnings.forEach { logger.warning("\($0)") }
            case .failure(let error): logger.error("the earlier files are served: \(Advice.line(error))")
            }
        }
    }

    /// Combinations that are allowed, because bundles may be installed later, but are usually mistakes.
    private func warnings(about store: BundleStore) -> [String] {
        let bundles = store.snapshot.bundles
        let reach = [caching.warning(listeningOn: listening.listen), operation.warning].compactMap(\.self)
        if bundles.isEmpty {
            return reach + ["the store in \(store.path) is empty; what is installed into it will be served"]
        }
        let named = serving.mounts.map { ("--mount", $0.name) } + serving.hosts.map { ("--host", $0.name) }
        return reach + named.filter { bundles[$0.1] == nil }.map { "\($0.0): there is no bundle \($0.1) yet" }
    }

    private func printConfiguration() throws {
        Console(format: .text, isQuiet: false).warn(invocation?.warnings ?? [])
        _ = try networkRules.read(warn: Console(format: .text, isQuiet: false).warn)
        _ = try operation.adminToken()
        let lines = ConfigurationTable.lines(settings, storePath: store.path)
        try StandardStreams.write(lines.map { $0 + "\n" }.joined())
    }

    private func updater(
        _ installer: Installer,
        _ transport: NIOTransport,
        _ access: NetworkAccess,
        _ store: BundleStore
    ) -> Updater {
        var configuration = Updater.Configuration(
            shell,
            activation: activation.activate,
            isScheduled: true,
            trust: trust
        )
        .downloading(transfer, onMetered, networkRules, in: store)
        configuration.credentials = access.credentials
        return Updater(store, installer: installer, transport: transport, configuration: configuration)
    }

    /// The endpoint's configuration, with the network rules as their file has them now.
    private func configuration(_ network: OriginNetwork, _ logger: Logger) throws -> BundleEndpoint.Configuration {
        var configuration = BundleEndpoint.Configuration()
        configuration.networkRules = try networkRules.read { $0.forEach { logger.warning("\($0)") } }
        configuration.originNetwork = network
        listening.apply(to: &configuration)
        configuration.headerFields = responseFields.fields
        configuration.allowedOrigins = Set(responseFields.origins)
        configuration.addresses = serving.addresses
        configuration.statisticsInterval = operation.statisticsEvery.interval
        configuration.admin = operation.admin
        configuration.adminToken = try operation.adminToken()
        configuration.accessLogPath = operation.accessLog
        configuration.accessLogFormat = operation.accessLogFormat
        configuration.isOffline = serving.offline
        configuration.cachePolicy = caching.policy
        if let size = caching.cacheMemory { configuration.cacheMemoryByteCount = Int(clamping: size.byteCount) }
        configuration.ruleConditions = networkRules.conditions
        configuration.originRetries = originTimes.retries
        configuration.variantQuota = variantQuota.byteCount
        configuration.codesForLocalClients = compressLocal
        configuration.checkInterval = checkEvery?.duration
        configuration.idleInterval = idleAfter.duration
        configuration.pageLifetime = pageLifetime?.duration
        configuration.scrubInterval = scrubEvery?.duration
        configuration.telemetryInterval = telemetryInterval.duration
        configuration.setsVersionCookies = !noVersionCookie
        configuration.limits = limitation.limits
        return configuration
    }
}
