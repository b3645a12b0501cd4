import BundleTesting
import Foundation
import Testing

/// What a hurried user mistypes, and what the real `bundlectl` says.
struct RefusalTests {
    @Test(
        arguments: [
            (["instal", "a.zip"], "There is no command 'instal'; did you mean 'install'?"),
            (
                ["serve", "--listen", "host"],
                "The value 'host' is invalid for '--listen <address>': PORT or HOST:PORT with "
            ),
            (["serve", "--listen", "localhost:99999"], "a port of 0 to 65535"),
            (["schedule", "--cron", "--every", "7m"], "minutes that divide an hour, hours that divide a day, or 1d, "),
            (["serve", "--max-head-size", "500MB"], "'500MB' is invalid for '--max-head-size <head-size>': "),
            (["resolve", "http://user:pw@shop.localhost/"], "leave out what is before the @"),
            (
                ["serve", "--check-every", "15"],
                "'15' is invalid for '--check-every <duration>': a whole number and a unit"
            ),
            (
                ["serve", "--mount", "kiosk=app"],
                "'kiosk=app' is invalid for '--mount <name=/path>': NAME=/PATH, such as "
            ),
            (
                ["serve", "--mount", "a=/", "--mount", "b=/"],
                "--mount: / is given to a and to b; keep one, or give the other"
            ),
            (["serve", "--offline", "--check-every", "1h"], "--check-every asks feeds over the network"),
            (["activate", "kiosk"], "'kiosk' is invalid for '<name@version>': NAME@VERSION, such as shop@1.4.0"),
            (["resolve", "http://shop.localhost:8080/a%zz"], "is malformed at “%zz”"),
            (["publish", "a.zip", "--to", "x", "--check", "--no-check"], "'--no-check' had already been set"),
        ] as [([String], String)]
    )
    func `a refusal names the value, the form and an example`(arguments: [String], text: String) async throws {
        try await withTemporaryDirectory { directory in
            let result = try await Bundlectl(store: directory.path(of: "store")).run(arguments)
            #expect(result.exitCode == 64)
            #expect(result.errorOutput.contains(text), "\(result.errorOutput)")
        }
    }

    @Test func `a store isn't made among other files, but in a folder that is empty or missing`() async throws {
        try await withPublisher { publisher, bundlectl in
            let folder = publisher.directory.path(of: "full")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"), "--store", folder)
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"), "--store", folder)
            let other = publisher.directory.path(of: "site")
            let before = try TreeSnapshot(of: other)
            for arguments in [["install", publisher.archive("1.0.0")], ["serve", "--listen", "127.0.0.1:0"]] {
                let refused = try await bundlectl.run(arguments + ["--store", other])
                #expect(refused.exitCode == 73)
                #expect(refused.errorOutput.contains("\(other) is neither empty nor a store: it has "))
            }
            #expect(try TreeSnapshot(of: other) == before)
        }
    }

    @Test func `a pattern that covers no file is a warning of pack and of install`() async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let manifest = """
                {"name": "shop", "version": "1", "origins": [], "headers": {"/asset/*.js": {"X-A": "1"}, "/**": {"X-B": "2"}},
                 "immutable": ["/assets/**", "/other/**"]}
                """
            try directory.write(Data(manifest.utf8), to: "app/bundle.json")
            try directory.write(Data("1".utf8), to: "app/assets/a.js")
            let (folder, archive) = (directory.path(of: "app"), directory.path(of: "shop.zip"))
            for arguments in [["pack", folder, archive], ["install", folder], ["install", archive]] {
                let result = try await bundlectl.run(arguments)
                #expect(result.exitCode == 0, "\(result.errorOutput)")
                #expect(result.errorOutput.contains("headers: no file matches “/asset/*.js”; "))
                #expect(result.errorOutput.contains("immutable: no file matches “/other/**”; "))
                #expect(!result.errorOutput.contains("“/**”,") && !result.errorOutput.contains("“/assets/**”"))
            }
        }
    }

    @Test func `an address that is pasted from the address bar is resolved`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            for url in ["http://127.0.0.1:9300/shop/", "http://localhost/shop/", "http://shop.localhost:8080/#top"] {
                let result = try await bundlectl.expect(0, "resolve", url)
                #expect(
                    result.output.contains("shop@1.0.0") && result.output.contains("index.html"),
                    "\(result.output)"
                )
            }
            let unknown = try await bundlectl.expect(0, "resolve", "http://127.0.0.1:18085/")
            let advice = "such as --mount shop=/, or the bundle's own URL, such as http://shop.localhost:18085/"
            #expect(unknown.output.contains(advice))
            let mounted = try await bundlectl.expect(0, "resolve", "http://192.168.1.5:8080/", "--mount", "shop=/")
            #expect(mounted.output.contains("shop@1.0.0"))
            let foreign = try await bundlectl.expect(0, "resolve", "http://example.com/shop/", "--mount", "shop=/")
            #expect(foreign.output.contains("no active bundle covers") && !foreign.output.contains("--mount"))
        }
    }

    @Test func `a quota below the use is accepted with a warning`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let low = try await bundlectl.expect(0, "quota", "1KB")
            #expect(low.errorOutput.contains("warning: the quota is 1.0 KB, and "))
            #expect(try await bundlectl.expect(0, "quota", "1GB").errorOutput == "")
        }
    }
}
