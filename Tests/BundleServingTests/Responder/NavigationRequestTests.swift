import BundleTesting
import HTTPTypes
import Testing

@testable import BundleServing

@Suite("Navigation requests")
struct NavigationRequestTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    @Test(
        "Fetch Metadata counts if a browser sends it",
        arguments: [
            ("document", "navigate", true), ("iframe", "navigate", true), ("frame", "navigate", true),
            ("embed", "navigate", false), ("object", "navigate", false), ("script", "no-cors", false),
            ("style", "no-cors", false), ("image", "no-cors", false), ("empty", "cors", false), ("font", "cors", false),
            ("worker", "same-origin", false), ("document", nil, true), ("script", nil, false), (nil, "navigate", true),
            (nil, "cors", false), (nil, "no-cors", false), (nil, "websocket", false), ("document;a=b", nil, true),
            ("Document", nil, false), ("", nil, false), ("document, script", nil, false), (nil, "\"navigate\"", false),
        ] as [(String?, String?, Bool)]
    )
    func fetchMetadata(destination: String?, mode: String?, expected: Bool) {
        var fields: HTTPFields = [.accept: Self.browser]
        fields[.secFetchDest] = destination
        fields[.secFetchMode] = mode
        #expect(isNavigation(fields) == expected)
    }

    @Test(
        "without it, an Accept that names HTML does (RFC 9110 §12.5.1)",
        arguments: [
            (browser, true), ("text/html", true), ("application/xhtml+xml", true), ("TEXT/HTML", true),
            ("image/png, text/html;q=0.1", true), ("text/html;level=1", true), ("text/html ; q=0.001", true),
            ("text/html;q=1.000", true), ("text/html;Q=0.5", true), (",, text/html", true),
            ("x, text/html", true), ("a/b;c=\"text/html\", image/png", false), ("a/b;c=\",\", text/html", true),
            ("text/html;q=0", false), ("text/html;q=0.000", false), ("text/html;q=\"1\"", true),
            ("*/*", false), ("text/*", false), ("", false), ("text/plain", false), ("text/htmlx", false),
            ("text/html;q=2", false), ("text/html;q=1.001", false), ("text/html;q=.5", false),
            ("text/html;q=0.0001", false), ("text/html;q=", false), ("text/html;q=-1", false), ("text/html q=1", false),
            ("text / html", false), ("text/html;q=0, application/xhtml+xml", true), ("a/b;c=\"text/html", false),
        ]
    )
    func accept(value: String, expected: Bool) {
        #expect(isNavigation([.accept: value]) == expected)
    }

    @Test("without any indication it isn't one")
    func nothing() {
        #expect(!isNavigation([:]))
    }

    @Test("by Accept, only GET and HEAD can be one; by Fetch Metadata a form's POST is one too")
    func methods() {
        #expect(isNavigation([.accept: "text/html"], method: .head))
        #expect(!isNavigation([.accept: "text/html"], method: .post))
        #expect(isNavigation([.secFetchMode: "navigate"], method: .post))
    }

    @Test("garbage never traps, and wildcards never name HTML")
    func garbage() {
        var generator = SeededGenerator(seed: 5)
        let pieces = ["text", "/", "*", "html5", ";", "q", "=", "0.5", "\"", "\\", ",", " ", "é", "\u{0}"]
        for _ in 0..<5_000 {
            #expect(!isNavigation([.accept: generator.text(of: pieces)]))
        }
    }

    @Test(
        "everything that becomes a document opens one, even in place of an object",
        arguments: [
            ("document", "navigate", true), ("iframe", "navigate", true), ("object", "navigate", true),
            ("embed", "navigate", true), ("object", nil, true), ("fencedframe", nil, true), (nil, "navigate", true),
            ("empty", "cors", false), ("script", "no-cors", false), ("serviceworker", "same-origin", false),
            ("image", nil, false), (nil, "cors", false), (nil, nil, true),
        ] as [(String?, String?, Bool)]
    )
    func documents(destination: String?, mode: String?, expected: Bool) {
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        request.headerFields[.accept] = Self.browser
        request.headerFields[.secFetchDest] = destination
        request.headerFields[.secFetchMode] = mode
        #expect(NavigationRequest.opensDocument(request) == expected)
        request.headerFields[.accept] = "*/*"
        #expect(NavigationRequest.opensDocument(request) == (expected && (destination ?? mode) != nil))
    }

    @Test(
        "a browser's fields identify the script of a service worker",
        arguments: [("script", true), ("x", false), (nil, false)]
    )
    func serviceWorkers(value: String?, expected: Bool) {
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        request.headerFields[.serviceWorker] = value
        #expect(NavigationRequest.isForServiceWorker(request) == expected)
    }

    private func isNavigation(_ fields: HTTPFields, method: HTTPRequest.Method = .get) -> Bool {
        NavigationRequest.isNavigation(
            HTTPRequest(method: method, scheme: nil, authority: nil, path: "/", headerFields: fields)
        )
    }
}
