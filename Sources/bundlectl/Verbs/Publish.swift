import ArgumentParser
import BundleArchive
import BundleInstall
import BundleNetwork
import BundleStore

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy an archive into a folder that a web server offers, and enter it into the feed there.",
        discussion: """
            The archive is checked as an installation would check it. The feed is DIR/\(FeedFolder.feedFileName); it is made \
            when there is none. Publishing the same archive again sets its channels.

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
        help: ArgumentHelp("A channel that offers the release; may be repeated; every channel unless given.")
    )
    var channels: [String] = []

    @Option(help: "For an archive without a manifest: the bundle's name.")
    var name: BundleName?

    @Option(help: "For an archive without a manifest: the release's version.")
    var version: BundleVersion?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (name == nil) == (version == nil) else {
            throw ValidationError("--name and --version go together; give both, or neither.")
        }
        if channels.contains("") { throw ValidationError("--channel must not be empty.") }
        if folder.isEmpty { throw ValidationError("--to needs the name of a folder.") }
    }

    func run() async throws {
        let rehearsal = try Installer.rehearse(archive: archive, manifest: manifest)
        output.console.warn(rehearsal.warnings)
        let publication = try FeedFolder(folder).publish(
            archive,
            as: rehearsal.name,
            rehearsal.version,
            fileExtension: ArchiveFormat(fileName: archive)?.description ?? "archive",
            channels: channels
        )
        try output.console.report(PublishSummary(publication, of: rehearsal.name))
    }

    /// The rules of such a release are those that its installation was given, so that only the two are told here.
    private var manifest: BundleManifest? {
        guard let name, let version else { return nil }
        return BundleManifest(name: name, version: version, origins: [])
    }
}
