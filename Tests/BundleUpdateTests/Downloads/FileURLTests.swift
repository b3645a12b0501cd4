import Testing

@testable import BundleUpdate

struct FileURLTests {
    @Test(
        arguments: [
            ("file:///media/usb/feed.json", "/media/usb/feed.json"), ("FILE:///a", "/a"), ("file:///a/", "/a"),
            ("file:///", "/"), ("file:///a%20b/%C3%A9", "/a b/é"), ("file:///a/..b", "/a/..b"),
        ]
    )
    func `a path from the root is taken`(text: String, path: String) {
        #expect(FileURL(text)?.path == path)
    }

    @Test(
        arguments: [
            "", "/a", "file:a", "file:/a", "file://a", "file://host/a", "file://localhost/a", "http:///a",
            "file:///a?b",
            "file:///a#b", "file:///a//b", "file:////a", "file:///a/../b", "file:///./a", "file:///a/%2e%2E/b",
            "file:///a%2Fb",
            "file:///a%00", "file:///%ff", "file:///%", "file:///%zz",
        ]
    )
    func `anything else is refused`(text: String) {
        #expect(FileURL(text) == nil)
    }

    @Test(
        arguments: [
            ("file:///m/feed.json", "file:///m/a.zip", ["a.zip"]),
            ("file:///m/feed.json", "file:///m/a/b.zip", ["a", "b.zip"]),
            ("file:///feed.json", "file:///a", ["a"]), ("file:///m/feed.json", "file:///m", nil),
            ("file:///m/feed.json", "file:///mm/a.zip", nil), ("file:///m/n/feed.json", "file:///m/a.zip", nil),
            ("file:///m/feed.json", "file:///etc/passwd", nil),
        ] as [(String, String, [String]?)]
    )
    func `what is in the folder of a file, or not`(feed: String, text: String, components: [String]?) throws {
        #expect(try #require(FileURL(text)).components(beside: #require(FileURL(feed))) == components)
    }
}
