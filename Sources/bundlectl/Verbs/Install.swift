import ArgumentParser
import BundleInstall
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleTar
import BundleUpdate
import Foundation
import HTTPCore

struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a release from an archive, a folder or a feed and make it the active one.",
        discussion: """
            From a feed's URL the highest release is installed that its channel offers this machine, and updates \
            follow that feed from then on, whatever the manifest names. An archive's URL needs --sha256. Which of them \
            a URL leads to, the content tells. A feed may also be a file, as on a stick, or the feed.json of a folder without a \
            bundle.json, as publish makes it: updates read it there again whenever it is there.

            Where a bundle's feed is trusted by a root, or with --require-trust, an archive has to be among those that its publisher has \
            signed, as far as they are known from the feed, or from one in the folder of the archive.

            The archive is a zip, tar, tar.gz, tar.xz or tar.zst with a bundle.json at its root or in its single top \
            folder. The store changes only at the end; a failure leaves it unchanged. Installing the same release \
            again changes nothing. A folder is packed first, as by pack. With --manifest that file counts in place of the \
            bundle.json. What the manifest names as “precache” is fetched afterwards, for up to 30 seconds; \
            the rest, also without a network, is left to serve and update. Earlier versions beyond --keep are removed afterwards. A release that claims URLs \
            of another bundle is refused, unless --allow-overlap names that bundle or the active version already \
            claims them.

            Examples:
              bundlectl install shop-1.0.0.zip
              bundlectl install dist --force
              bundlectl install https://get.example.com/shop/feed.json --channel beta
              bundlectl install /media/usb/feed.json
              bundlectl install https://get.example.com/shop/feed.json --trust sha256:…
              bundlectl install docs.tgz --name docs --version 3 --origin https://docs.test/
            """
    )

    @Argument(
        help: ArgumentHelp("An archive, a folder or a feed: a path, or a URL.", valueName: "archive|dir|url"),
        completion: .file()
    )
    var source: InstallSource

    @Option(
        name: .customLong("sha256"),
        help: ArgumentHelp("The SHA-256 of the archive at a URL: 64 hexadecimal digits.", valueName: "hex")
    )
    var digest: Digest?

    @Option(
        name: .customLong("trust"),
        help: ArgumentHelp(
            "With a feed: the SHA-256 of the publisher's first root, by which the feed has to be trusted. Default: the root by which "
                + "it is trusted already, or with a feed that says that it is signed, the one that is there.",
            valueName: "sha256:hex"
        )
    )
    var root: RootDigest?

    @OptionGroup var trust: TrustOptions

    @OptionGroup var manifestFile: ManifestFileOptions

    @OptionGroup(title: "Archives without a manifest")
    var manifest: ManifestOptions

    @Flag(help: "Replace the same version with other content.")
    var force = false

    @Flag(help: "Don't activate the release.")
    var noActivate = false

    @Flag(
        help: ArgumentHelp(
            "The release is shipped with an app: the last resort, which nothing but remove removes. A higher active version "
                + "stays active."
        )
    )
    var seed = false

    @OptionGroup var overlap: OverlapOptions

    @OptionGroup var retention: RetentionOptions

    @OptionGroup var precaching: PrecacheOptions

    @Flag(help: "Wait for another process that works on the bundle, or keeps earlier versions from being removed.")
    var wait = false

    @OptionGroup(title: "Downloads")
    var transfer: TransferOptions

    @OptionGroup var shell: ShellOptions

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    @OptionGroup(title: "Reading the archive")
    var reading: ArchiveOptions

    @OptionGroup var dryRun: DryRunOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let scheme = source.foreignScheme {
            throw ValidationError(
                "“\(Printable.text(source.text))” can't be fetched: its scheme is \(scheme), not http, https or file, as in "
                    + "https://get.example.com/shop/feed.json"
            )
        }
        if source.url == nil, digest != nil {
            throw ValidationError(
                "--sha256 is for an archive at a URL; leave it out for a file, which is there to be checked with sha256sum"
            )
        }
        let isFeed = feed != nil
        if manifest.channel != nil, !isFeed, manifest.naming.release == nil {
            throw ValidationError("--channel is for a feed, or goes with --name and --version")
        }
        if manifestFile.path != nil, manifest.naming.release != nil {
            throw ValidationError(
                "--manifest says what the bundle is; leave it out, or --name, --version, --origin, --feed and --channel"
            )
        }
        guard isFeed else {
            if manifestFile.path == nil, manifest.naming.release == nil, let folder = source.feedFolder {
                throw ValidationError(
                    "“\(Printable.text(source.text))” is no bundle, but has feeds in its folders; name one of them, such as "
                        + "\(Printable.text(folder))"
                )
            }
            if root != nil {
                throw ValidationError("--trust is for feeds: an archive alone isn't signed; install it from its feed")
            }
            if trust.requireTrust, source.isFolder {
                throw ValidationError(
                    "--require-trust is for feeds and archives: a folder isn't signed; install it from its feed"
                )
            }
            return
        }
        let isOther =
            force || noActivate || !overlap.allowOverlap.isEmpty || manifest.naming.release != nil
            || manifestFile.path != nil
        if isOther {
            throw ValidationError(
                "--force, --no-activate, --allow-overlap, --manifest, --name and --version are for archives; for one at a URL give "
                    + "--sha256"
            )
        }
    }

    /// The feed to install from; nil for an archive or a folder.
    private var feed: URL? {
        guard digest == nil else { return nil }
        let isDescribed = manifest.naming.release != nil || manifestFile.path != nil
        return source.url ?? source.localFeed(isDescribed: isDescribed)
    }

    func run() async throws {
        let (given, file) = (try manifest.manifest(), try manifestFile.read())
        let rules = try precaching.networkRules.read(warn: output.console.warn)
        let access = try reach.read(warn: output.console.warn)
        try await dryRun.using(store, creating: true) {
            try store.open(creating: true)
        } _: { store in
            try await install(into: store, options(given), describedBy: file, by: rules, over: access)
        }
    }

    private func install(
        into store: BundleStore,
        _ options: InstallOptions,
        describedBy file: ManifestFile?,
        by rules: CommonRules,
        over access: NetworkAccess
    ) async throws {
        let report = try await output.console.showingProgress("installing") { bar in
            try await install(into: store, options, describedBy: file, over: access) { bar.update($0) }
        }
        let release = store.snapshot.bundles[report.name]?.release(report.version)
        let needs = release.map { OriginNeeds.warnings($0.manifest).map(Advice.line) } ?? []
        let warnings = report.warnings + overruled(options.manifest, by: release) + needs
        output.console.warn(warnings)
        let pruned = retention.apply(
            to: report.outcome == .unchanged ? [] : [report.name],
            sparing: (report.name, report.version),
            in: store,
            waits: wait,
            console: output.console
        )
        let isActive = release?.state == .active
        let ahead =
            isActive && !dryRun.isOn
            ? await precaching.run(
                [report.name],
                in: store,
                by: rules,
                over: access,
                within: Self.precacheLimit,
                isForced: true
            ) : []
        try dryRun.report(
            InstallSummary(report, isActive: isActive, warnings: warnings, pruned: pruned, precache: ahead.first),
            to: output.console
        )
    }

    private func install(
        into store: BundleStore,
        _ options: InstallOptions,
        describedBy file: ManifestFile?,
        over access: NetworkAccess,
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws -> InstallReport {
        let feed = feed
        guard let url = feed ?? source.url else {
            let (installer, path) = (Installer(store, formats: .zipAndTar), source.text)
            guard source.isFolder else {
                let (options, warnings) = try await ArchiveTrust(store, requiresTrust: trust.requireTrust)
                    .optionsBesideFeed(options, for: path)
                var report = try installer.install(
                    archive: path,
                    describedBy: file,
                    options: options,
                    progress: progress
                )
                report.warnings += warnings
                return report
            }
            var packing = PackOptions()
            packing.manifestFile = file
            return try installer.install(folder: path, options: options, packing: packing, progress: progress)
        }
        var configuration = Updater.Configuration(shell, isScheduled: false, trust: trust)
        transfer.apply(to: &configuration)
        return try await store.updating(configuration, over: access) { updater in
            if feed == nil, let digest {
                try await updater.install(archive: url, digest: digest, options: options, progress: progress) {
                    try $0.install(archive: $1, describedBy: file, options: $2, progress: $3)
                }
            } else {
                try await updater.install(
                    feed: url,
                    channel: manifest.channel?.string,
                    root: root?.digest,
                    options: options,
                    progress: progress
                )
            }
        }
    }

    /// An installation is complete without what is fetched ahead.
    private static let precacheLimit: Duration = .seconds(30)

    private func options(_ given: BundleManifest?) -> InstallOptions {
        var options = InstallOptions()
        options.manifest = given
        options.activates = !noActivate
        options.isSeed = seed
        options.replaces = force
        options.permittedOverlaps = Set(overlap.allowOverlap)
        options.keepsPrevious = retention.keep > 0
        options.waits = wait
        reading.apply(to: &options)
        return options
    }

    /// The archive's own manifest counts, so options that contradict it have no effect.
    private func overruled(_ given: BundleManifest?, by release: Release?) -> [String] {
        guard let given, let release, release.manifest != given else { return [] }
        return ["\(source.text): has a manifest of its own, which counts instead of --origin, --feed and --channel"]
    }
}

/// The result of `install`.
struct InstallSummary: Report {
    private let report: InstallReport
    private let isActive: Bool
    /// Whether the installation itself has warned, as of another feed that updates follow.
    private let hasWarned: Bool
    /// Nil when there is none.
    private let removed: [RemovedVersion]?
    /// Nil when there is none.
    private let droppedResponseCount: Int?
    /// Nil when the manifest names nothing to fetch ahead, or nothing was to be fetched.
    private let precache: PrecacheSummary?
    private let removalLines: [String]

    private enum CodingKeys: CodingKey {
        case isActive, removed, droppedResponseCount, precache
    }

    /// - Parameters:
    ///   - pruned: What the subsequent pruning has removed.
    ///   - ahead: What was fetched ahead afterwards.
    init(
        _ report: InstallReport,
        isActive: Bool,
        warnings: [String],
        pruned: [RemovedRelease],
        precache ahead: PrecacheReport? = nil
    ) {
        var report = report
        hasWarned = !report.warnings.isEmpty
        report.warnings = warnings
        (self.report, self.isActive) = (report, isActive)
        precache = ahead.map(PrecacheSummary.init)
        let (quotaRemoval, all) = (report.quotaRemoval, report.quotaRemoval.releases + pruned)
        removed = all.isEmpty ? nil : all.map(RemovedVersion.init)
        droppedResponseCount = quotaRemoval.responseCount > 0 ? quotaRemoval.responseCount : nil
        removalLines = quotaRemoval.responseLines + all.map { RemovedVersion($0).line }
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isActive, forKey: .isActive)
        try container.encodeIfPresent(removed, forKey: .removed)
        try container.encodeIfPresent(droppedResponseCount, forKey: .droppedResponseCount)
        try container.encodeIfPresent(precache, forKey: .precache)
    }

    var lines: [String] {
        [line, report.leftOut.flatMap(LeftOutNames.line)].compactMap(\.self) + removalLines
            + (precache.map { [$0.line] } ?? [])
    }

    private var line: String {
        let state = isActive ? "active" : "not active"
        let release = "\(report.name)@\(report.version)"
        switch report.outcome {
        case .installed:
            let files = Quantity.text(report.fileCount, "file")
            let (all, new) = (Int64(clamping: report.byteCount), Int64(clamping: report.newByteCount))
            return
                "installed \(release) (\(files), \(ByteCount.text(all)), \(ByteCount.text(new)) of it new); it is \(state)"
        case .activated: return "\(release) was installed already; it is active now"
        case .unchanged:
            return "\(release) is installed already and \(state)" + (hasWarned ? "" : "; nothing has changed")
        }
    }
}
