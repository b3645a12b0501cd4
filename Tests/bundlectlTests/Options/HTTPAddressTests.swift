import Foundation
import Testing

@testable import bundlectl

struct HTTPAddressTests {
    @Test(
        "an http or https URL with a host is taken",
        arguments: ["https://a.test/feed.json?x=1", "HTTP://127.0.0.1:8/"]
    )
    func taken(_ text: String) {
        #expect(HTTPAddress(argument: text)?.url.absoluteString == text)
    }

    @Test(
        "anything else is refused",
        arguments: ["", "feed.json", "/feed.json", "file:///feed.json", "https://", "http:///x"]
    )
    func refused(_ text: String) {
        #expect(HTTPAddress(argument: text) == nil)
    }
}
