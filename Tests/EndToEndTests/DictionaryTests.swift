import BundleTesting
import Foundation
import Testing

/// Compression dictionaries (RFC 9842) with the one browser that has them: Debian's Chromium, headless.
@Suite(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
struct DictionaryTests {
    /// One file of a page as the browser counts it.
    private struct Transfer {
        let url: String
        let coding: String
        /// Bytes of the content as it was sent, and as it is.
        let encodedByteCount: Int
        let decodedByteCount: Int
        /// Bytes on the wire, with the head.
        let byteCount: Int
    }

    @Test func `a browser that has 1.0.0 takes 1.1.0 as small deltas, and runs it`() async throws {
        try await withTemporaryDirectory { folder in
            let bundlectl = Bundlectl(store: folder.path(of: "store"))
            try await bundlectl.install("1.0.0", hash: "4f3a9c21", in: folder)
            try await bundlectl.serving("--compress-local") { address, _ in
                let page = Bundlectl.own("shop", address)
                try await withBrowser { browser in
                    let first = try await Self.open(page, "1.0.0", browser)
                    try await Self.waitForDictionaries(first.map(\.url), browser)

                    try await bundlectl.install("1.1.0", hash: "5a4b0d32", in: folder)
                    // Made in the background after the activation, which may take long on a busy machine.
                    try await bundlectl.waitForForms(2 * first.count) { $0.hasSuffix(".dcz") }
                    let second = try await Self.open(page, "1.1.0", browser)
                    #expect(first.count == 3)
                    #expect(second.count == 3)
                    for file in second {
                        #expect(file.coding == "dcz", "\(file.url)")
                        #expect(file.encodedByteCount < file.decodedByteCount / 50, "\(file.url)")
                    }
                    let sent = second.reduce(0) { $0 + $1.byteCount }
                    let whole = second.reduce(0) { $0 + $1.decodedByteCount }
                    #expect(sent < whole / 20)
                    for file in first + second { print(Self.line(file)) }
                    print("1.1.0 for who has 1.0.0: \(sent) bytes on the wire with heads, for \(whole) bytes")
                    #expect(try await browser.consoleMessages().filter(\.isError) == [])
                }
            }
        }
    }

    /// Opens the page until it is the one of a version. Returns what its scripts and styles took.
    private static func open(_ page: String, _ version: String, _ browser: Browser) async throws -> [Transfer] {
        let deadline = ContinuousClock.now + .seconds(60)
        var found: String?
        while found != version, ContinuousClock.now < deadline {
            try await browser.navigate(to: page)
            try await browser.wait(until: "document.documentElement.dataset.ready === 'true'")
            found = try await browser.execute("return document.documentElement.dataset.version").string
        }
        #expect(found == version)
        let entries = try await browser.execute(
            """
            return performance.getEntriesByType('resource').filter(e => e.name.includes('/assets/')).map(e => ({
                url: e.name, coding: e.contentEncoding, encoded: e.encodedBodySize, decoded: e.decodedBodySize,
                transfer: e.transferSize
            }))
            """
        )
        return (entries.array ?? []).map { entry in
            Transfer(
                url: entry["url"]?.string ?? "",
                coding: entry["coding"]?.string ?? "",
                encodedByteCount: entry["encoded"]?.integer ?? 0,
                decodedByteCount: entry["decoded"]?.integer ?? 0,
                byteCount: entry["transfer"]?.integer ?? 0
            )
        }
    }

    /// The browser stores dictionaries after the page has loaded. Requests each file with another query, which the
    /// dictionary covers too, until the response is a delta: that of the file to itself.
    private static func waitForDictionaries(_ urls: [String], _ browser: Browser) async throws {
        for url in urls {
            let isThere = try await browser.execute(
                """
                const deadline = performance.now() + 30000;
                for (let n = 0; performance.now() < deadline; n++) {
                    const response = await fetch('\(url)?n=' + n);
                    await response.text();
                    if (response.headers.get('content-encoding') === 'dcz') return true;
                }
                return false;
                """
            )
            #expect(isThere == true, "the browser has no dictionary for \(url)")
        }
    }

    private static func line(_ file: Transfer) -> String {
        let name = file.url.split(separator: "/").last ?? ""
        let coding = file.coding.isEmpty ? "identity" : file.coding
        return "\(name): \(file.encodedByteCount) bytes in \(coding) of \(file.decodedByteCount)"
    }
}

extension Bundlectl {
    /// Packs the shop in this version and installs it.
    fileprivate func install(_ version: String, hash: String, in folder: TemporaryDirectory) async throws {
        let manifest = #"{"name": "shop", "version": "\#(version)", "origins": []}"#
        let files = DictionaryTests.files(version, hash: hash).merging(["bundle.json": manifest]) { $1 }
        let archive = folder.path(of: "\(version).zip")
        try await expect(0, "pack", folder.write(tree: files, to: version), archive)
        try await expect(0, "install", archive)
    }
}

extension DictionaryTests {
    /// A page with two scripts and a style, as a bundler leaves them: all renamed, and a line of each changed.
    fileprivate static func files(_ version: String, hash: String) -> [String: String] {
        [
            "index.html": """
            <!doctype html><html><head><title>shop</title><link rel="icon" href="data:,">
            <link rel="stylesheet" href="assets/style-\(hash.rollupHash).css">
            <script src="assets/vendor.\(hash).js"></script><script src="assets/app.\(hash).js"></script></head>
            <body><p>shop</p></body></html>
            """,
            "assets/vendor.\(hash).js": library("vendor", count: 4_000) + "const vendorVersion = '\(version)';\n",
            "assets/app.\(hash).js": library("app", count: 600)
                + """
                document.documentElement.dataset.version = vendorVersion === '\(version)' ? '\(version)' : 'mixed';
                addEventListener('load', () => { document.documentElement.dataset.ready = 'true'; });

                """,
            "assets/style-\(hash.rollupHash).css": (0..<800).map { ".rule\($0) { order: \($0 &* 7_919 % 997); }\n" }
                .joined()
                + "p::after { content: '\(version)'; }\n",
        ]
    }

    private static func library(_ name: String, count: Int) -> String {
        (0..<count).map { "function \(name)\($0)(a, b) { return a * \($0 &* 7_919 % 9_973) + b; }\n" }.joined()
    }
}

extension String {
    /// A hash as Rollup writes it: with letters of both cases.
    fileprivate var rollupHash: String { self == "4f3a9c21" ? "BxZ9dK2f" : "DbR9xQ2k" }
}
