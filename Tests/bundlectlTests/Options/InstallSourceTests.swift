import BundleTesting
import Foundation
import Testing

@testable import bundlectl

struct InstallSourceTests {
    @Test(
        arguments: [
            ("shop.zip", .file("shop.zip")), ("file:///a%20b/shop.zip", .file("/a b/shop.zip")),
            ("file:///media/usb/", .file("/media/usb")), ("file:x", .file("file:x")), ("file://host/x", nil),
            ("file:///a/%2e%2e/b", nil), ("http://", nil),
        ] as [(String, InstallSource?)]
    )
    func `a file's URL is the file`(text: String, source: InstallSource?) {
        #expect(InstallSource(argument: text) == source)
    }

    /// Files of a folder, what of them is named, and the feed that this is.
    private static let rows: [(tree: [String: String], name: String, isDescribed: Bool, feed: String?)] = [
        (["feed.json": "{}"], "feed.json", false, "feed.json"), (["a.txt": " \n{"], "a.txt", true, "a.txt"),
        (["a.json": "[]"], "a.json", false, nil), (["a": ""], "a", false, nil), (["a": "x"], "none", false, nil),
        (["feed.json": "{}", "shop.zip": ""], "", false, "feed.json"), (["feed.json": "{}"], "", true, nil),
        (["feed.json": "{}", "bundle.json": "{}"], "", false, nil), (["index.html": ""], "", false, nil),
        (["feed.json": #"{"name": "shop", "versions": []}"#], "", true, "feed.json"),
    ]

    @Test(arguments: rows.indices)
    func `a feed is what begins as one, or a folder that has one and is no bundle`(row: Int) async throws {
        let row = Self.rows[row]
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: row.tree, to: "stick")
            let source = try #require(InstallSource(argument: row.name.isEmpty ? folder : "\(folder)/\(row.name)"))
            let feed = source.localFeed(isDescribed: row.isDescribed)
            #expect(feed?.absoluteString == row.feed.map { URL(fileURLWithPath: "\(folder)/\($0)").absoluteString })
        }
    }

    @Test(
        arguments: [
            (["app/feed.json": "{}", "shop/feed.json": #"{"name": "shop", "versions": []}"#], "shop"),
            (["shop/feed.json": #"{"name": "shop", "versions": []}"#, "bundle.json": "{}"], nil),
            (["shop/index.html": ""], nil),
        ] as [([String: String], String?)]
    )
    func `a folder of feeds is told from a bundle's`(tree: [String: String], name: String?) async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(tree: tree, to: "stick")
            #expect(InstallSource.file(folder).feedFolder == name.map { "\(folder)/\($0)" })
        }
    }

    @Test func `a FIFO is no feed, and isn't waited for`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path(of: "fifo")
            #expect(mkfifo(path, 0o600) == 0)
            #expect(InstallSource.file(path).localFeed(isDescribed: false) == nil)
        }
    }
}
