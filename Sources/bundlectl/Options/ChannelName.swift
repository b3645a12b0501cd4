import ArgumentParser
import BundleStore

/// A channel on the command line, under the manifest's rules.
struct ChannelName: ExpressibleByArgument, Equatable {
    let string: String

    init?(argument: String) {
        guard BundleManifest.isChannel(argument) else { return nil }
        string = argument
    }
}
