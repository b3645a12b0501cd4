import ArgumentParser
import BundleNetwork
import BundleStore
import Foundation

/// Where an operator reads a feed: a URL as ``FeedURL`` takes it, or a file's, as on a stick.
struct FeedPlace: ExpressibleByArgument, Equatable {
    let url: URL

    init?(argument: String) {
        let file = FileURL(argument).map { URL(fileURLWithPath: $0.path) }
        guard let url = file ?? FeedURL(argument: argument)?.url else { return nil }
        self.url = url
    }
}
