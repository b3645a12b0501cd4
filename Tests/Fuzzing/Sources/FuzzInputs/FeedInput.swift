import Foundation

@testable import BundleUpdate

private let baseURL = URL(filePath: "/", directoryHint: .isDirectory)
private let feedURL = URL(string: "https://updates.example.com/shop/feed.json") ?? baseURL

/// An accepted feed names each version once, and only sources on the web.
enum FeedInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let bytes = Array(bytes)
        guard let feed = try? Feed.parse(bytes, baseURL: feedURL) else { return false }
        precondition(Set(feed.releases.map(\.version)).count == feed.releases.count, "a version comes twice")
        precondition(feed.releases.allSatisfy { $0.source.scheme == "https" }, "a source left https")
        return true
    }
}
