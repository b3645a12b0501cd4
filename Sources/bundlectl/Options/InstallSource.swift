import ArgumentParser
import BundleStore
import Foundation

/// What is installed, on the command line: a file, or what a URL leads to.
enum InstallSource: ExpressibleByArgument, Equatable {
    case file(String)
    case url(URL)

    /// Nil for a URL of `http` or `https` that can't be fetched.
    init?(argument: String) {
        let scheme = argument.prefix { $0 != ":" }.lowercased()
        guard ["http", "https"].contains(scheme), argument.dropFirst(scheme.count).hasPrefix("://") else {
            self = .file(argument)
            return
        }
        guard let url = FeedURL(argument: argument)?.url else { return nil }
        self = .url(url)
    }

    /// Nil for a file.
    var url: URL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// As messages show it.
    var text: String {
        switch self {
        case .file(let path): path
        case .url(let url): url.absoluteString
        }
    }
}
