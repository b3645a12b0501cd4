import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// The real binary in the network of a company: an authority of its own, a proxy, feeds with a password.
struct CompanyNetworkTests {
    @Test func `an authority of one's own is trusted by option or by variable, and a refusal says how`() async throws {
        try await withFeedSite(secureFor: ["127.0.0.1"]) { site in
            try await site.publish("docs", "1.0.0")
            let certificate = site.directory.path(of: "site-certificate.pem")
            let system = site.bundlectl.with(["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""])
            let refused = try await system.expect(69, "install", site.feed("docs"))
            #expect(refused.errorOutput.contains("“site” has issued its certificate, and isn't trusted"))
            #expect(refused.errorOutput.contains("--ca-certificate FILE, or with SSL_CERT_FILE"))
            let missing = try await system.expect(66, "install", site.feed("docs"), "--ca-certificate", "/none")
            #expect(missing.errorOutput.contains("/none can't be read"))
            try await system.expect(0, "install", site.feed("docs"), "--ca-certificate", certificate)
            try await site.publish("docs", "1.1.0")
            try await system.expect(69, "update")
            let report = try await system.expect(11, "doctor")
            #expect(report.output.contains("has an issuer that this machine doesn't trust: site"), "\(report.output)")
            try await system.expect(0, "doctor", "--ca-certificate", certificate)
            let trusting = system.with(["SSL_CERT_FILE": certificate])
            let sound = try await trusting.expect(0, "doctor")
            #expect(sound.output.contains("those in \(certificate) are trusted, in place of the system's"))
            try await trusting.expect(0, "update")
            #expect(try await site.active("docs") == "1.1.0")
            let folder = try site.directory.write(
                tree: ["a.pem": String(contentsOfFile: certificate, encoding: .utf8)],
                to: "a"
            )
            let rehash = try await ChildProcess.run("openssl", ["rehash", folder])
            #expect(rehash.exitCode == 0, "\(rehash.errorOutput)")
            try await site.bundlectl.with(["SSL_CERT_FILE": "", "SSL_CERT_DIR": folder]).expect(0, "check")
        }
    }

    @Test func `an update goes through the proxy that a variable names, and its password is never shown`() async throws
    {
        try await withFeedSite(secureFor: ["feeds.example"]) { site in
            try await site.publish("docs", "1.0.0")
            let certificate = site.directory.path(of: "site-certificate.pem")
            let feed = "https://feeds.example/docs/feed.json"
            var behaviour = ForwardProxyServer.Behaviour()
            behaviour.hosts = ["feeds.example:443": site.origin.port]
            behaviour.authorization = "Basic bWU6c2VjcmV0"
            try await withForwardProxy(behaviour) { proxy in
                let trusting = site.bundlectl.with([
                    "SSL_CERT_FILE": certificate, "SSL_CERT_DIR": "", "NO_PROXY": "", "no_proxy": "",
                ])
                let proxied = trusting.with([
                    "HTTPS_PROXY": "http://me:secret@127.0.0.1:\(proxy.port)", "https_proxy": "",
                ])
                try await proxied.expect(0, "install", feed)
                try await site.publish("docs", "1.1.0")
                try await proxied.expect(0, "update")
                #expect(try await site.active("docs") == "1.1.0")
                let report = try await proxied.expect(0, "doctor")
                #expect(report.output.contains("feed \(feed) responds with 200"))
                #expect(Set(proxy.requestLines) == ["CONNECT feeds.example:443 HTTP/1.1"])
                #expect(site.origin.requests.allSatisfy { $0.headerFields[.proxyAuthorization] == nil })

                let wrong = trusting.with(["HTTPS_PROXY": "http://me:wrong@127.0.0.1:\(proxy.port)", "https_proxy": ""])
                let refused = try await wrong.expect(69, "check")
                let reason =
                    "through the proxy 127.0.0.1:\(proxy.port): the proxy doesn't accept the user and the password"
                #expect(refused.errorOutput.contains(reason), "\(refused.errorOutput)")
                #expect(refused.errorOutput.contains("HTTPS_PROXY"))
                #expect(!refused.errorOutput.contains("wrong"))
                let plain = try await trusting.expect(69, "check", "--proxy", "127.0.0.1:\(proxy.port)")
                #expect(plain.errorOutput.contains("the proxy wants a user and a password"))
                let direct = try await proxied.expect(69, "check", "--no-proxy", "feeds.example")
                #expect(!direct.errorOutput.contains("through the proxy"))
                let shown = try await trusting.expect(64, "check", "--proxy", "http://me:secret@127.0.0.1")
                #expect(shown.errorOutput.contains("everyone on this machine can read command lines"))
                #expect(!shown.errorOutput.contains("secret"))
                let socks = trusting.with([
                    "ALL_PROXY": "socks5://me:secret@a.example", "https_proxy": "", "HTTPS_PROXY": "",
                ])
                let unusable = try await socks.expect(64, "check")
                #expect(
                    unusable.errorOutput.contains("ALL_PROXY: “socks5://a.example” is no proxy"),
                    "\(unusable.errorOutput)"
                )
            }
        }
    }

    @Test func `a webhook is reached through the proxy too`() async throws {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0")
            try await site.bundlectl.expect(0, "install", site.archive("docs", "1.0.0"))
            site.origin.route("/hook", to: ScriptedResponse(""))
            var behaviour = ForwardProxyServer.Behaviour()
            behaviour.hosts = ["hooks.example:80": site.origin.port]
            try await withForwardProxy(behaviour) { proxy in
                let hook = ["--proxy", proxy.url, "--webhook", "http://hooks.example/hook"]
                let check = try await site.bundlectl.run(["check"] + hook)
                #expect(check.exitCode == 0, "\(check.errorOutput)")
                #expect(proxy.requestLines == ["POST http://hooks.example/hook HTTP/1.1"])
            }
        }
    }

    @Test func `a server asks an origin through a proxy`() async throws {
        try await withFeedSite { site in
            let archive = try await site.archive(
                "docs",
                "1.0.0",
                origins: #"[{"url": "http://docs.example/", "path": "/"}]"#
            )
            try await site.bundlectl.expect(0, "install", archive)
            site.origin.route("/stock.json", to: ScriptedResponse("in stock"))
            var behaviour = ForwardProxyServer.Behaviour()
            behaviour.hosts = ["docs.example:80": site.origin.port]
            try await withForwardProxy(behaviour) { proxy in
                try await site.bundlectl.serving("--proxy", proxy.url) { address, _ in
                    let response = try await Curl.get("\(address)/docs/stock.json")
                    #expect(response.text == "in stock")
                    #expect(proxy.requestLines == ["GET http://docs.example/stock.json HTTP/1.1"])
                }
            }
        }
    }

    @Test func `a feed with a password is read with that of a netrc file, which goes to its own host alone`()
        async throws
    {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0")
            let authorization = "Basic " + Data("me:secret".utf8).base64EncodedString()
            site.origin.require(authorization)
            let without = try await site.bundlectl.expect(69, "install", site.feed("docs"))
            #expect(without.errorOutput.contains("responded with 401; give the host's user and password"))
            #expect(without.errorOutput.contains("--netrc-file FILE, or NETRC"))
            let netrc = try site.directory.write("machine 127.0.0.1 login me password secret\n", to: "netrc")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: netrc)
            let install = try await site.bundlectl.expect(0, "install", site.feed("docs"), "--netrc-file", netrc)
            #expect(!install.errorOutput.contains("passwords"), "\(install.errorOutput)")
            try await site.publish("docs", "1.1.0")
            let named = site.bundlectl.with(["NETRC": netrc])
            #expect(try await named.expect(0, "doctor").output.contains("responds with 200"))
            try await named.expect(0, "update")
            #expect(try await site.active("docs") == "1.1.0")
            // Feed, lists, patches and archives alike.
            #expect(site.origin.requests.suffix(2).allSatisfy { $0.headerFields[.authorization] == authorization })
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: netrc)
            let open = try await named.expect(0, "check")
            #expect(open.errorOutput.contains("other users can read the passwords in \(netrc): “chmod 600 \(netrc)”"))
            try site.directory.write("{}", to: "netrc")
            #expect(
                try await named.expect(69, "check").errorOutput.contains(
                    "NETRC isn't used: \(netrc): line 1 has a word"
                )
            )
            try await site.bundlectl.expect(64, "check", "--netrc-file", netrc)
            try await site.bundlectl.expect(66, "check", "--netrc-file", "/none")
        }
    }

    @Test func `a feed with a token is read with that of a credentials file, and nothing shows or keeps it`()
        async throws
    {
        try await withFeedSite { site in
            try await site.publish("docs", "1.0.0")
            site.origin.require("Bearer top-secret")
            let origin = "http://127.0.0.1:\(site.origin.port)"
            let file = try site.directory.write(
                #"{"\#(origin)": {"authorization": "Bearer top-secret"}}"#,
                to: "credentials.json"
            )
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let open = try await site.bundlectl.expect(64, "install", site.feed("docs"), "--credentials-file", file)
            #expect(open.errorOutput.contains("\(file) has a secret, and other users can read or change it"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            var outputs = [open.errorOutput]
            func note(_ result: ProcessResult) { outputs += [result.output, result.errorOutput] }
            note(try await site.bundlectl.expect(0, "install", site.feed("docs"), "--credentials-file", file))
            try await site.publish("docs", "1.1.0")
            let named = site.bundlectl.with(["BUNDLECTL_CREDENTIALS_FILE": file])
            for arguments in [
                ["doctor"], ["check", "--explain"], ["update", "--json"], ["show", "docs"], ["list", "--json"],
                ["history"], ["serve", "--print-config"],
            ] {
                note(try await named.run(arguments))
            }
            #expect(try await site.active("docs") == "1.1.0")
            #expect(
                site.origin.requests.suffix(2).allSatisfy { $0.headerFields[.authorization] == "Bearer top-secret" }
            )
            site.origin.require("Bearer another")
            note(try await named.expect(69, "check"))
            let log = site.directory.path(of: "access.log")
            try await named.serving("--admin", "127.0.0.1:0", "--access-log", log, "--check-every", "1h") {
                address,
                server in
                let line = try await server.waitForLine(containing: "dashboard at ")
                let parts = line.replacing("dashboard at ", with: "").components(separatedBy: "#token=")
                let token = ["--header", "Authorization: Bearer \(parts.last ?? "")"]
                let state = try await Curl.get("\(parts[0])api/state", token)
                #expect(state.status == 200)
                let page = try await Curl.get("\(address)/docs/")
                outputs += [state.text, page.text, server.output, server.errorOutput]
            }
            #expect(outputs.allSatisfy { !$0.contains("top-secret") })
            for path in try FileManager.default.subpathsOfDirectory(atPath: site.directory.path)
            where path != "credentials.json" {
                let bytes = FileManager.default.contents(atPath: site.directory.path(of: path)) ?? Data()
                #expect(bytes.firstRange(of: Data("top-secret".utf8)) == nil, "\(path)")
            }
        }
    }

    @Test(arguments: [["install"], ["check", "docs", "--feed"], ["serve", "--webhook"]])
    func `a URL with a password is refused without showing it`(arguments: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let bundlectl = Bundlectl(store: directory.path(of: "store"))
            let result = try await bundlectl.run(arguments + ["https://me:secret@feeds.example/feed.json"])
            #expect(result.exitCode == 64)
            #expect(result.errorOutput.contains("leave out what is before the @"), "\(result.errorOutput)")
            #expect(result.errorOutput.contains("--netrc-file FILE") == (arguments.last != "--webhook"))
            #expect(!result.errorOutput.contains("secret"))
        }
    }
}
