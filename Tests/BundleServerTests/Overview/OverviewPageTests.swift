import Foundation
import Testing

@testable import BundleServer

@Suite("The page that lists the bundles")
struct OverviewPageTests {
    private static func entry(
        _ name: String,
        version: String? = "1.0.0",
        state: String = "active",
        address: String? = "http://shop.localhost:8080/",
        icon: String? = nil
    ) -> OverviewEntry {
        OverviewEntry(name: name, version: version, state: state, address: address, icon: icon)
    }

    private static func html(_ entries: [OverviewEntry]) -> String {
        OverviewPage(entries: entries, root: "http://localhost:8080/").html
    }

    @Test("links what is below it by relative references, which lead to the same place through a proxy")
    func links() {
        let html = Self.html([Self.entry("shop", address: "http://localhost:8080/m/")])
        #expect(html.contains("<a href=\"./m/\">shop</a>"))
        #expect(html.contains("<p class=\"address\">http://localhost:8080/m/</p>"))
    }

    @Test("has each bundle with its version, its state and its address")
    func entries() {
        let html = Self.html([Self.entry("shop")])
        #expect(html.contains("<a href=\"http://shop.localhost:8080/\">shop</a> <span class=\"version\">1.0.0</span>"))
        #expect(html.contains("<p class=\"state\">active</p>"))
        #expect(html.contains("<span class=\"letter\" aria-hidden=\"true\">S</span>"))
    }

    @Test(
        "says what is missing",
        arguments: [
            (nil, "None is installed yet"),
            (entry("shop", version: nil, address: nil), "opens when a version is active"),
            (entry("shop", address: nil), "has no address in a browser on this machine"),
        ] as [(OverviewEntry?, String)]
    )
    func missing(_ entry: OverviewEntry?, _ text: String) {
        #expect(Self.html([entry].compactMap(\.self)).contains(text))
    }

    @Test("escapes every text of a bundle")
    func escaping() {
        let text = "<b>&\"'"
        let html = Self.html([Self.entry(text, version: text, state: text, address: text, icon: text)])
        #expect(!html.contains("<b>"))
        #expect(html.components(separatedBy: "&lt;b>&amp;&quot;'").count == 7)
    }

    @Test("has an icon of the bundle in place of its letter")
    func icon() {
        let html = Self.html([Self.entry("shop", icon: "data:image/png;base64,AA==")])
        #expect(html.contains("<img src=\"data:image/png;base64,AA==\" alt=\"\""))
        #expect(!html.contains("class=\"letter\""))
    }

    @Test("has at most 200 bundles, and says how many more there are")
    func limit() {
        let html = Self.html((0..<203).map { Self.entry("b\($0)") })
        #expect(html.components(separatedBy: "<li>").count == 201)
        #expect(html.contains("And 3 more"))
        #expect(!Self.html((0..<200).map { Self.entry("b\($0)") }).contains(" more."))
    }
}
