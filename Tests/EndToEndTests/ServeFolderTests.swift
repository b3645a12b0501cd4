import BundleTesting
import Foundation
import Testing

/// `serve DIR`: a folder as a bundle, without a store.
struct ServeFolderTests {
    private static let manifest = #"{"name": "shop", "version": "1.0.0", "origins": [], "entry": "index.html"}"#

    private func serving(
        _ directory: TemporaryDirectory,
        _ options: String...,
        body: (_ page: String, ChildProcess) async throws -> Void
    ) async throws {
        let temporary = directory.path(of: "temporary")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        let bundlectl = Bundlectl(store: directory.path(of: "store"))
        let arguments = ["serve", directory.path(of: "shop"), "--listen", "127.0.0.1:0"] + options
        let environment = bundlectl.environment.merging(["TMPDIR": temporary]) { $1 }
        try await withChildProcess(Bundlectl.path, arguments, environment: environment) { server in
            let line = try await server.waitForLine(containing: "listening on ")
            let address = line.replacingOccurrences(of: "listening on ", with: "")
            try await body(Bundlectl.own("shop", address), server)
        }
        #expect(!FileManager.default.fileExists(atPath: bundlectl.store))
    }

    /// Asks until the body is as expected.
    private func wait(for text: String, at url: String) async throws -> Curl {
        for _ in 0..<2_000 {
            let response = try await Curl.get(url)
            if response.text.contains(text) { return response }
        }
        throw Curl.Failure(message: "\(url) doesn't become \(text)")
    }

    @Test func `a folder is served with what an installed bundle has, and leaves nothing`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(
                tree: ["bundle.json": Self.manifest, "index.html": "<p>one", "a.js": "1", ".git/HEAD": "x"],
                to: "shop"
            )
            try await serving(directory) { page, server in
                let response = try await Curl.get(page)
                #expect(response.text == "<p>one")
                #expect(response["cache-status"]?.contains("active 1.0.0") == true)
                let tag = try #require(response["etag"])
                #expect(try await Curl.get(page, "-H", "If-None-Match: \(tag)").status == 304)
                #expect(try await Curl.get(page + "a.js", "--range", "0-0").status == 206)
                #expect(try await Curl.get(page + ".git/HEAD").status == 404)
                try await server.waitForErrorOutput(containing: "left out 1 name, hidden or excluded: .git/")
                #expect(try await server.terminate().exitCode == 0)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "temporary")).isEmpty)
        }
    }

    @Test func `changes are served with a script that reloads the page, and an error keeps what was served`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: ["index.html": "<p>one", "a.js": "1"], to: "shop")
            try await serving(directory, "--watch") { page, server in
                let first = try await Curl.get(page)
                #expect(first.text == "<p>one\n<script src=\"/__bundlectl/reload.js\" async></script>\n")
                let script = try await Curl.get(page + "__bundlectl/reload.js").text
                #expect(script.contains("/.bundles/shop/events"))
                try directory.write("<p>two", to: "shop/index.html")
                _ = try await wait(for: "<p>two", at: page)
                #expect(try await Curl.get(page + "__bundlectl/reload.js").text != script)
                let state = try await Curl.get(page + ".bundles/shop", "-H", "Sec-Fetch-Site: same-origin")
                #expect(state.text.contains("1.0.0-dev."))

                try directory.write("{", to: "shop/bundle.json")
                try await server.waitForErrorOutput(containing: "the earlier files are served: ")
                #expect(try await Curl.get(page).text.contains("<p>two"))
                try directory.write(Self.manifest, to: "shop/bundle.json")
                try directory.write("<p>three", to: "shop/index.html")
                _ = try await wait(for: "<p>three", at: page)
            }
        }
    }

    @Test func `a folder that is served never changes its name`() async throws {
        try await withTemporaryDirectory { directory in
            let manifest = #"{"name": "NAME", "version": "1", "origins": [{"url": "https://m.example/", "path": "/"}]}"#
            func named(_ name: String) -> String { manifest.replacing("NAME", with: name) }
            _ = try directory.write(tree: ["bundle.json": named("shop"), "index.html": "<p>one"], to: "shop")
            try await serving(directory, "--watch") { page, server in
                try directory.write(named("kiosk"), to: "shop/bundle.json")
                try await server.waitForErrorOutput(containing: "names the bundle kiosk, and shop is served")
                let renamed = page.replacing("shop.localhost", with: "kiosk.localhost")
                #expect(try await Curl.get(renamed).text.contains("<p>one") == false)
                #expect(try await Curl.get(page).text.contains("<p>one"))
                try directory.write(named("shop"), to: "shop/bundle.json")
                try directory.write("<p>two", to: "shop/index.html")
                _ = try await wait(for: "<p>two", at: page)
            }
        }
    }

    @Test func `a build that empties the folder and its manifest keeps what is served, and its name`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: ["bundle.json": Self.manifest, "index.html": "<p>one"], to: "shop")
            try await serving(directory, "--watch") { page, server in
                try FileManager.default.removeItem(atPath: directory.path(of: "shop"))
                try await server.waitForErrorOutput(containing: "the earlier files are served: ")
                // The folder alone would be a bundle by what init would write.
                _ = try directory.write(tree: ["index.html": "<p>two", "a.js": "1"], to: "shop")
                try await server.waitForErrorOutput(containing: "bundle.json is gone; a build that empties")
                #expect(try await Curl.get(page).text.contains("<p>one"))
                try directory.write(Self.manifest, to: "shop/bundle.json")
                _ = try await wait(for: "<p>two", at: page)
            }
        }
    }

    @Test func `a manifest elsewhere outlasts the build, and is watched too`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write(Self.manifest, to: "bundle.json")
            _ = try directory.write(tree: ["index.html": "<p>one", "a.js": "1"], to: "shop")
            try await serving(directory, "--watch", "--manifest", file) { page, server in
                try FileManager.default.removeItem(atPath: directory.path(of: "shop"))
                try await server.waitForErrorOutput(containing: "the earlier files are served: ")
                _ = try directory.write(tree: ["a.js": "2"], to: "shop")
                try await server.waitForErrorOutput(containing: "index.html is gone")
                #expect(try await Curl.get(page).text.contains("<p>one"))
                try directory.write("<p>two", to: "shop/index.html")
                _ = try await wait(for: "<p>two", at: page)

                try directory.write(Self.manifest.replacing("index.html", with: "start.html"), to: "bundle.json")
                try await server.waitForErrorOutput(containing: "start.html is gone")
                try directory.write("<p>start", to: "shop/start.html")
                _ = try await wait(for: "<p>start", at: page)
                try FileManager.default.removeItem(atPath: file)
                try await server.waitForErrorOutput(containing: "bundle.json can't be read")
                #expect(try await Curl.get(page).text.contains("<p>start"))
            }
        }
    }

    @Test func `a folder without a manifest keeps its name when the project gets another one`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: ["index.html": "<p>one", "package.json": #"{"name": "shop"}"#], to: "shop")
            try await serving(directory, "--watch") { page, server in
                try directory.write(#"{"name": "kiosk"}"#, to: "shop/package.json")
                try directory.write("<p>two", to: "shop/index.html")
                _ = try await wait(for: "<p>two", at: page)
                try directory.write(Self.manifest.replacing("shop", with: "app"), to: "shop/bundle.json")
                try await server.waitForErrorOutput(containing: "names the bundle app, and shop is served")
                #expect(try await Curl.get(page).text.contains("<p>two"))
            }
        }
    }

    @Test func `what a killed server leaves, the next one removes`() async throws {
        try await withTemporaryDirectory { directory in
            _ = try directory.write(tree: ["bundle.json": Self.manifest, "index.html": "<p>one"], to: "shop")
            func left() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "temporary"))
            }
            try await serving(directory) { _, server in
                server.send(SIGKILL)
                _ = try await server.wait()
            }
            #expect(try left().count == 1)
            try await serving(directory) { _, server in
                #expect(try left().count == 1)
                _ = try await server.terminate()
            }
            #expect(try left().isEmpty)
        }
    }

    @Test func `a folder that can't be served ends the command`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let folder = try directory.write(tree: ["bundle.json": "{", "index.html": ""], to: "shop")
            try await bundlectl.expect(65, "serve", folder)
            try await bundlectl.expect(66, "serve", directory.path(of: "none"))
            try await bundlectl.expect(64, "serve", "--watch")
            try await bundlectl.expect(64, "serve", folder, "--store", directory.path(of: "store"))
        }
    }
}
