import BundleStore
import BundleTesting
import Foundation
import Testing

/// Names with a hash, as Streamlit's build writes them: after a dot, some without a digit.
@Suite("Hashed names")
struct HashedNameTests {
    /// The names of the scripts but for their hashes, and their hashes in two releases. The last one stays.
    private static let scripts: [(name: String, hashes: (String, String))] = [
        ("index", ("DormvYxC", "C7VsfKqo")), ("Tooltip", ("pZ0H0kkf", "D4f8aQzr")),
        ("BaseButton", ("OzdXpw_T", "DBslL13W")),
        ("arc", ("CWQg8pc6", "BgIvDoIS")), ("PlotlyChart", ("0HefpZUz", "B5etAoFf")),
        ("Checkbox", ("DqV93Z14", "BNvfR8OZ")),
        ("PageLink", ("DTbZz__g", "DTbZz__g")),
    ]
    private static let others = [
        "lib-OAuth2v1.js", "price-2026Q1v2.js", "MyComponent-Story1Ab.js", "jquery-3.7.1.min.js",
    ]
    private static let forAYear = "max-age=31536000, immutable"

    @Test func `keep their files for a year, and the next release comes as deltas`() async throws {
        try await withTemporaryDirectory { folder in
            let bundlectl = Bundlectl(store: folder.path(of: "store"))
            try await bundlectl.install(Self.files(release: 1), "1.0.0", in: folder)
            try await bundlectl.serving("--mount", "app=/", "--compress-local") { address, _ in
                for path in Self.paths(release: 1) {
                    let response = try await Curl.get("\(address)/\(path)")
                    #expect(response["Cache-Control"] == Self.forAYear, "\(path)")
                    #expect(response["Use-As-Dictionary"]?.contains(".*.js") == true, "\(path)")
                }
                for name in Self.others + [""] {
                    let response = try await Curl.get("\(address)/\(name.isEmpty ? "" : "static/js/")\(name)")
                    #expect(response.status == 200)
                    #expect(response["Cache-Control"] == "no-cache", "\(name)")
                    #expect(response["Use-As-Dictionary"] == nil, "\(name)")
                }
                try await bundlectl.install(Self.files(release: 2), "1.1.0", in: folder)
                for (old, new) in zip(Self.paths(release: 1), Self.paths(release: 2)) where old != new {
                    try await Self.waitForDelta("\(address)/\(new)", from: Self.files(release: 1)[old] ?? "")
                }
            }
        }
    }

    @Test(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
    func `aren't asked for again when a browser reloads the page`() async throws {
        try await withTemporaryDirectory { folder in
            let bundlectl = Bundlectl(store: folder.path(of: "store"))
            try await bundlectl.install(Self.files(release: 1), "1.0.0", in: folder)
            try await bundlectl.serving("--mount", "app=/") { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: address + "/")
                    try await browser.wait(until: "window.count === \(Self.scripts.count)")
                    _ = try await browser.execute("window.count = -1; location.reload()")
                    try await browser.wait(until: "window.count === \(Self.scripts.count)")
                    let sent = try await browser.execute(
                        """
                        return performance.getEntriesByType('resource')
                            .filter(e => e.name.includes('/static/js/') && e.transferSize > 0).map(e => e.name)
                        """
                    )
                    #expect(sent.array?.isEmpty == true, "\(sent)")
                }
            }
        }
    }

    @Test func `are shown with the reason, which the manifest may give`() async throws {
        try await withTemporaryDirectory { folder in
            let bundlectl = Bundlectl(store: folder.path(of: "store"))
            try await bundlectl.install(Self.files(release: 1), "1.0.0", in: folder)
            let shown = try await bundlectl.json("show", "app", "--files")
            let reasons = Dictionary(
                uniqueKeysWithValues: (shown["files"]?.array ?? []).map {
                    ($0["path"]?.string, $0["immutable"]?.string)
                }
            )
            #expect(reasons["static/js/index.DormvYxC.js"] == "siblings")
            #expect(reasons["static/js/lib-OAuth2v1.js"] == .some(nil))
            let table = try await bundlectl.expect(0, "show", "app", "--files").output
            #expect(table.contains("siblings      static/js/index.DormvYxC.js"), "\(table)")
            let url = "https://app.example/static/js/index.DormvYxC.js"
            #expect(try await bundlectl.json("resolve", url)["file"]?["immutable"]?.string == "siblings")
            #expect(try await bundlectl.expect(0, "resolve", url).output.contains("immutable by siblings"))

            let declared = #", "immutable": ["/static/js/lib-*"]"#
            try await bundlectl.install(Self.files(release: 1), "1.1.0", more: declared, in: folder)
            #expect(try await bundlectl.json("resolve", url)["file"]?["immutable"] == nil)
            let library = "https://app.example/static/js/lib-OAuth2v1.js"
            #expect(try await bundlectl.json("resolve", library)["file"]?["immutable"]?.string == "manifest")
            var changed = Self.files(release: 1)
            changed["static/js/lib-OAuth2v1.js"] = "changed"
            let result = try await bundlectl.install(changed, "1.2.0", more: declared, in: folder)
            #expect(
                result.errorOutput.contains(
                    "“static/js/lib-OAuth2v1.js” has other content in another installed version"
                )
            )
        }
    }

    private static func paths(release: Int) -> [String] {
        scripts.map { "static/js/\($0.name).\(release == 1 ? $0.hashes.0 : $0.hashes.1).js" }
    }

    private static func files(release: Int) -> [String: String] {
        var files = Dictionary(uniqueKeysWithValues: others.map { ("static/js/\($0)", script(1)) })
        for (path, script) in zip(paths(release: release), scripts) {
            files[path] = Self.script(script.hashes.0 == script.hashes.1 ? 1 : release, script.name)
        }
        let elements = paths(release: release).map { "<script src=\"/\($0)\"></script>" }.joined()
        files["index.html"] = "<!doctype html><link rel=icon href=data:,><title>app</title>\(elements)"
        return files
    }

    private static func script(_ release: Int, _ name: String = "") -> String {
        "// \(name)\n" + (0..<200).map { "function f\($0)(a) { return a * \($0 &* 7_919 % 9_973); }\n" }.joined()
            + "window.count = (window.count || 0) + 1; window.release = \(release);\n"
    }

    /// Requests a file as a browser does that has an earlier content, until the response is the delta to it: those are made
    /// in the background.
    private static func waitForDelta(_ url: String, from content: String) async throws {
        let dictionary = Digest(of: Array(content.utf8)).withUnsafeBytes { Data($0) }.base64EncodedString()
        let deadline = ContinuousClock.now + .seconds(60)
        var coding: String?
        while coding != "dcz", ContinuousClock.now < deadline {
            let fields = ["--header", "Accept-Encoding: dcz", "--header", "Available-Dictionary: :\(dictionary):"]
            let response = try await Curl.get(url, fields)
            coding = response["Content-Encoding"]
            if coding == "dcz" { #expect(response.body.count < content.utf8.count / 10) }
        }
        #expect(coding == "dcz", "\(url)")
    }
}

extension Bundlectl {
    @discardableResult
    fileprivate func install(
        _ files: [String: String],
        _ version: String,
        more: String = "",
        in folder: TemporaryDirectory
    ) async throws -> ProcessResult {
        let origin = #"{"url": "https://app.example/"}"#
        let manifest = #"{"name": "app", "version": "\#(version)", "origins": [\#(origin)]\#(more)}"#
        let archive = folder.path(of: "\(version).zip")
        try await expect(
            0,
            "pack",
            folder.write(tree: files.merging(["bundle.json": manifest]) { $1 }, to: version),
            archive
        )
        return try await expect(0, "install", archive)
    }
}
