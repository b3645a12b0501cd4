import ArgumentParser
import Foundation

/// An absolute `http` or `https` URL on the command line.
struct HTTPAddress: ExpressibleByArgument, Equatable {
    let url: URL

    init?(argument: String) {
        guard let url = URL(string: argument, encodingInvalidCharacters: false), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), url.host()?.isEmpty == false
        else { return nil }
        self.url = url
    }
}
