import BundleTesting
import Foundation
import Testing

/// `serve` as a client sees it: the real server, the real curl, a real origin.
struct ServeTests {
    @Test func `a page, a script and a range come from the bundle, with the right fields`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                let page = try await Curl.get("\(address)/shop/")
                #expect(page.status == 200)
                #expect(page["content-type"] == "text/html; charset=utf-8")
                #expect(page["cache-control"] == "no-cache")
                #expect(page["x-content-type-options"] == "nosniff")
                #expect(page["cache-status"]?.contains("active 1.0.0") == true)
                #expect(page.body == (try Project.contents("bundles/shop/1.0.0/index.html")))

                let script = try Project.file(in: "bundles/shop/1.0.0/assets", prefix: "app.", suffix: ".js")
                let response = try await Curl.get("\(address)/shop/assets/\(script)")
                #expect(response["content-type"] == "text/javascript; charset=utf-8")
                #expect(response["cache-control"] == "max-age=31536000, immutable")
                let tag = try #require(response["etag"])
                let again = try await Curl.get("\(address)/shop/assets/\(script)", "-H", "If-None-Match: \(tag)")
                #expect(again.status == 304)

                let image = try Project.file(in: "bundles/shop/1.0.0/assets", prefix: "hero.", suffix: ".png")
                let part = try await Curl.get("\(address)/shop/assets/\(image)", "--range", "1-3")
                #expect(part.status == 206)
                #expect(part.body == Array("PNG".utf8))
            }
        }
    }

    @Test func `what the bundle lacks comes from the network once, then from the cache, also without a network`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                let url = "\(address)/shop/api/stock.json"
                #expect(try await Curl.get(url)["cache-status"]?.contains("fwd=uri-miss") == true)
                #expect(try await Curl.get(url)["cache-status"]?.contains("; hit") == true)
                #expect(publisher.requestedPaths == ["/shop/api/stock.json"])
                try await publisher.stop()
                #expect(try await Curl.get(url).status == 200)

                let missing = try await Curl.get("\(address)/shop/api/nothing.json")
                #expect(missing.status == 504)
                #expect(missing["content-type"] == "text/plain; charset=utf-8")
                let page = try await Curl.get(Bundlectl.own("shop", address) + "nowhere", "-H", "Accept: text/html")
                #expect(page.status == 504)
                #expect(page.body == (try Project.contents("bundles/shop/1.0.0/offline.html")))
            }
        }
    }

    @Test func `--verbose logs each request`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--offline", "--verbose") { address, server in
                _ = try await Curl.get("\(address)/shop/?v=1")
                try await server.waitForErrorOutput(containing: "debug: GET /shop/?v=1 200")
            }
        }
    }

    @Test func `--offline never uses the network`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--offline") { address, _ in
                let missing = try await Curl.get("\(address)/shop/api/stock.json")
                #expect(missing.status == 504)
                let page = try await Curl.get("\(address)/shop/")
                #expect(page.status == 200)
            }
            #expect(publisher.requestedPaths == [])
        }
    }

    @Test func `a bundle is served under its name, at a mount, and by its origin's host`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--mount", "shop=/apps/shop") { address, _ in
                let host = publisher.origin.dropFirst("http://".count)
                #expect(try await Curl.get("\(address)/shop/").status == 200)
                #expect(try await Curl.get("\(address)/apps/shop/").status == 200)
                #expect(try await Curl.get("\(address)/shop/index.html", "-H", "Host: \(host)").status == 200)
                // The absolute form of a request to a proxy.
                let proxied = try await Curl.get(
                    "\(publisher.origin)/shop/index.html",
                    "--proxy",
                    address,
                    "--noproxy",
                    ""
                )
                #expect(proxied["cache-status"]?.contains("active 1.0.0") == true)
            }
        }
    }

    @Test func `serve prints versions and addresses, which curl and resolve find, and list shows hosts`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, server in
                let own = Bundlectl.own("shop", address)
                _ = try await server.waitForLine(containing: "shop 1.0.0: \(own)")
                #expect(try await Curl.get(own).text.contains("data-version"))
                #expect(try await Curl.get(own + "shop/").status == 404)
                let opened = try await Curl.get("\(address)/shop/", "-H", "Accept: text/html")
                #expect(opened.status == 307)
                #expect(opened["location"].map { "http:\($0)" } == own)
                let resolution = try await bundlectl.json("resolve", own + "data/products.json")
                #expect(resolution["bundle"] == "shop")
                #expect(resolution["response"] == "active")
                #expect(resolution["file"]?["path"] == "data/products.json")
                #expect(resolution["route"] == "host shop.localhost")
            }
            #expect(try await bundlectl("list").output.contains("shop.localhost"))
            #expect(try await bundlectl.json("list")["bundles"]?.array?.first?["host"] == "shop.localhost")
        }
    }

    @Test func `a host that isn't the server's is refused, unless --allow-host names it`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--allow-host", "kiosk.example", "--mount", "shop=/shop") { address, _ in
                #expect(try await Curl.get("\(address)/shop/", "-H", "Host: kiosk.example").status == 200)
                let refused = try await Curl.get("\(address)/shop/", "-H", "Host: evil.example")
                #expect(refused.status == 421)
                #expect(String(decoding: refused.body, as: UTF8.self).contains("its operator can allow it"))
            }
        }
    }

    @Test func `files are compressed after the first request, and not with --variant-quota off`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--compress-local") { address, _ in
                let plain = try await Curl.get(Bundlectl.own("shop", address))
                _ = try await Curl.get(Bundlectl.own("shop", address), "-H", "Accept-Encoding: gzip")
                try await bundlectl.waitForForms(1)
                var coded = plain
                // The form is there; responses use it a moment later.
                for _ in 0..<400 where coded["Content-Encoding"] == nil {
                    coded = try await Curl.get(Bundlectl.own("shop", address), "-H", "Accept-Encoding: gzip")
                    #expect(coded["Vary"] == "Accept-Encoding")
                }
                #expect(coded["Content-Encoding"] == "gzip")
                #expect(coded.body.count < plain.body.count)
                // curl's own decoder.
                let decoded = try await Curl.get(Bundlectl.own("shop", address), "--compressed")
                #expect(decoded.text == plain.text)
            }
            #expect(try await bundlectl.expect(0, "show", "--storage").output.contains("variants"))
            try await bundlectl.serving("--variant-quota", "off") { address, _ in
                let page = try await Curl.get(Bundlectl.own("shop", address), "-H", "Accept-Encoding: gzip")
                #expect(page["Content-Encoding"] == nil)
                #expect(page["Vary"] == nil)
            }
        }
    }

    @Test func `another process's installs and activations take effect without a failed request`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
                try await Self.expectVersion("1.1.0", at: address)
                try await bundlectl.expect(0, "rollback", "shop")
                try await Self.expectVersion("1.0.0", at: address)
                try await bundlectl.expect(0, "activate", "shop@1.1.0")
                try await Self.expectVersion("1.1.0", at: address)
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `Ctrl-C and SIGTERM end the server cleanly`(signal: Int32) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, server in
                let page = try await Curl.get("\(address)/shop/")
                #expect(page.status == 200)
                server.send(signal)
                let result = try await server.wait()
                #expect(result.exitCode == 0)
            }
        }
    }

    @Test func `an empty store and a mount without a bundle are reported, and served all the same`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.serving { address, server in
                let page = try await Curl.get("\(address)/shop/")
                #expect(page.status == 404)
                try await server.waitForErrorOutput(containing: "is empty")
            }
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--mount", "shpo=/shpo") { address, server in
                let page = try await Curl.get("\(address)/shop/")
                #expect(page.status == 200)
                try await server.waitForErrorOutput(containing: "there is no bundle shpo")
            }
        }
    }

    @Test func `--check-every installs a new release automatically`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await publisher.publish("1.0.0", with: bundlectl)
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving("--check-every", "1s") { address, _ in
                try await publisher.publish("1.1.0", with: bundlectl)
                try await Self.expectVersion("1.1.0", at: address, attempts: 400)
            }
        }
    }

    /// Sends requests until the version is served. Every response must be a good one.
    private static func expectVersion(_ version: String, at address: String, attempts: Int = 150) async throws {
        for _ in 0..<attempts {
            let page = try await Curl.get("\(address)/shop/")
            try #require(page.status == 200)
            if page.text.contains("<strong data-version>\(version)</strong>") { return }
        }
        Issue.record("\(version) isn't served")
    }
}
