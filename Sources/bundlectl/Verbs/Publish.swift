import ArgumentParser
import BundleArchive
import BundleInstall
import BundleNetwork
import BundleStore

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Copy an archive into a folder of a web server, and add it to the feed there.",
        discussion: """
            The archive is checked as by an installation. The feed is DIR/\(FeedFolder.feedFileName); it is created if \
            necessary. Publishing the same archive again sets its channels.

            Example:
              bundlectl publish shop-1.1.0.zip --to /srv/www/releases --channel stable
            """
    )

    @Argument(help: "The archive.", completion: .file())
    var archive: String

    @Option(name: .customLong("to"), help: ArgumentHelp("The folder.", valueName: "dir"), completion: .directory)
    var folder: String

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("A channel that offers the release; may be repeated. Default: every channel.")
    )
    var channels: [ChannelName] = []

    @OptionGroup(title: "Archives without a manifest")
    var naming: NamingOptions

    @OptionGroup(title: "Reading the archive")
    var reading: ArchiveOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if folder.isEmpty { throw ValidationError("--to needs the name of a folder") }
    }

    func run() async throws {
        let options = try options()
        let checked = try output.console.showingProgress("checking") { bar in
            try Installer.validate(archive: archive, options: options) { bar.update($0) }
        }
        output.console.warn(checked.warnings)
        let publication = try output.console.showingProgress("publishing") { bar in
            try FeedFolder(folder).publish(
                archive,
                as: checked.name,
                checked.version,
                fileExtension: ArchiveFormat(fileName: archive)?.description ?? "archive",
                channels: channels.map(\.string)
            ) { bar.update($0) }
        }
        try output.console.report(PublishSummary(publication, of: checked.name))
    }

    private func options() throws(BundleError) -> InstallOptions {
        var options = InstallOptions()
        // The rules of such a release are those given at its installation, so only name and version are set here.
        if let (name, version) = naming.release {
            options.manifest = try BundleManifest(name: name, version: version, origins: [])
        }
        reading.apply(to: &options)
        return options
    }
}
