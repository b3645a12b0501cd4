import Foundation
import Testing

@testable import bundlectl

struct FeedPlaceTests {
    @Test(
        arguments: [
            ("https://a.test/feed.json?x=1", "https://a.test/feed.json?x=1"),
            ("file:///media/usb/feed.json", "file:///media/usb/feed.json"), ("FILE:///a%20b", "file:///a%20b"),
        ]
    )
    func `a URL of the network or of a file is taken`(text: String, url: String) {
        #expect(FeedPlace(argument: text)?.url.absoluteString == url)
    }

    @Test(arguments: ["", "feed.json", "/feed.json", "file://host/feed.json", "file:///a/../b", "ftp://a.test/x"])
    func `anything else is refused`(text: String) {
        #expect(FeedPlace(argument: text) == nil)
    }
}
