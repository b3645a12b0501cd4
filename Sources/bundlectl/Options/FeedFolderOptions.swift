import ArgumentParser
import BundleNetwork

/// The folder whose feed a publisher changes.
struct FeedFolderOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("The folder that \(FeedFolder.feedFileName) is in.", valueName: "dir"),
        completion: .directory
    )
    var path: String

    func validate() throws {
        if path.isEmpty { throw ValidationError("--in needs the name of a folder") }
    }

    /// The folder.
    var folder: FeedFolder { FeedFolder(path) }
}
