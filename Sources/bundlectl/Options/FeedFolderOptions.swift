import ArgumentParser
import BundleNetwork
import BundlePublishing

/// The folder whose feed a publisher changes.
struct FeedFolderOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("The folder that \(FeedFolder.feedFileName) is in.", valueName: "dir"),
        completion: .directory
    )
    var path: String

    func validate() throws {
        if path.isEmpty {
            throw ValidationError("--in is empty; name the folder of the feed, such as --in public/shop")
        }
    }

    /// The folder.
    var folder: FeedFolder { FeedFolder(path) }
}
