import BundleNetwork
import Foundation

private let baseURL = URL(filePath: "/", directoryHint: .isDirectory)
private let feedURL = URL(string: "https://updates.example.com/shop/feed.json") ?? baseURL

/// A feed that is taken names each version once, and only sources on the web.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFeed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let feed = try? Feed.parse(bytes, baseURL: feedURL) else { return 0 }
    precondition(Set(feed.releases.map(\.version)).count == feed.releases.count, "a version comes twice")
    precondition(feed.releases.allSatisfy { $0.source.scheme == "https" }, "a source left https")
    return 0
}
