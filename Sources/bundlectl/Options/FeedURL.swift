import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate
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

/// Where an operator reads a feed: a URL as ``FeedURL`` takes it, or a file's, as on a stick.
struct FeedPlace: ExpressibleByArgument, Equatable {
    let url: URL

    init?(argument: String) {
        let file = FileURL(argument).map { URL(fileURLWithPath: $0.path) }
        guard let url = file ?? FeedURL(argument: argument)?.url else { return nil }
        self.url = url
    }
}
