import Foundation
import Testing

@testable import bundlectl

struct FeedURLTests {
    @Test(
        "an http or https URL with a host is accepted",
        arguments: ["https://a.test/feed.json?x=1", "HTTP://127.0.0.1:8/"]
    )
    func taken(_ text: String) {
        #expect(FeedURL(argument: text)?.url.absoluteString == text)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "feed.json", "/feed.json", "file:///feed.json", "https://", "http:///x", "https://a.test/x#y",
            "https://me@a.test/x", "https://a.test:0/x", "https://a.test/a b",
        ]
    )
    func refused(_ text: String) {
        #expect(FeedURL(argument: text) == nil)
    }
}
