import ArgumentParser
import BundleInstall
import BundleNetwork
import BundleStore

struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a release from an archive and make it the active one.",
        discussion: """
            The archive is a zip, tar, tar.gz, tar.xz or tar.zst with a bundle.json at its root or in its single top \
            folder. The store changes only at the end; a failure leaves it unchanged. Installing the same release \
            again changes nothing. What the manifest names as “precache” is fetched afterwards, for up to 30 seconds; \
            the rest, also without a network, is left to serve and update. Earlier versions beyond --keep are removed afterwards. A release that claims URLs \
            of another bundle is refused, unless --allow-overlap names that bundle or the active version already \
            claims them.

            Examples:
              bundlectl install shop-1.0.0.zip
              bundlectl install docs.tgz --name docs --version 3 --origin https://docs.test/
            """
    )

    @Argument(help: "The archive.", completion: .file())
    var archive: String

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

    @OptionGroup(title: "Reading the archive")
    var reading: ArchiveOptions

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let given = try manifest.manifest()
        let rules = try precaching.networkRules.read(warn: output.console.warn)
        let store = try store.open(creating: true)
        let report = try output.console.showingProgress("installing") { bar in
            try Installer(store).install(archive: archive, options: options(given)) { bar.update($0) }
        }
        let release = store.snapshot.bundles[report.name]?.release(report.version)
        let needs = release.map { OriginNeeds.warnings($0.manifest).map(Advice.line) } ?? []
        let warnings = report.warnings + overruled(given, by: release) + needs
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
            isActive
            ? await precaching.run([report.name], in: store, by: rules, within: Self.precacheLimit, isForced: true) : []
        try output.console.report(
            InstallSummary(report, isActive: isActive, warnings: warnings, pruned: pruned, precache: ahead.first)
        )
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
        return ["\(archive): has a manifest of its own, which counts instead of --origin, --feed and --channel"]
    }
}
