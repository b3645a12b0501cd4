import ArgumentParser
import BundleStore
import Foundation

/// A feed's URL on the command line, under the manifest's rules.
struct FeedURL: ExpressibleByArgument, Equatable {
    let url: URL

    init?(argument: String) {
        guard let parsed = try? HTTPURL(argument), !parsed.hasFragment,
            let url = URL(string: argument, encodingInvalidCharacters: false)
        else { return nil }
        self.url = url
    }
}
