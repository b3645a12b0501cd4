import ArgumentParser
import Testing

@testable import bundlectl

struct CommandLineTests {
    @Test("every verb exists, in the order of the help")
    func verbs() {
        let names = BundleCtl.configuration.subcommands.map { $0._commandName }
        #expect(
            names == [
                "install", "list", "show", "resolve", "serve", "check", "update", "schedule", "activate", "rollback",
                "mark-good", "mark-bad", "hold", "unhold", "trust", "installation", "history", "pin", "unpin", "remove",
                "prune", "quota", "verify", "doctor", "export", "init", "pack", "publish", "mirror", "keys", "feed",
                "cache", "network", "stats",
            ]
        )
    }

    @Test(
        "every verb has an abstract and an example",
        arguments: BundleCtl.configuration.subcommands.map { $0._commandName }
    )
    func example(_ verb: String) throws {
        let command = try #require(BundleCtl.configuration.subcommands.first { $0._commandName == verb })
        #expect(!command.configuration.abstract.isEmpty)
        #expect(command.configuration.discussion.contains("Example"))
        #expect(command.configuration.discussion.contains("bundlectl \(verb)"))
    }

    @Test(
        "a valid command line is accepted",
        arguments: [
            ["install", "a.zip"],
            ["install", "a.zip", "--name", "docs", "--version", "3", "--origin", "https://a.test/=/x", "--force"],
            ["list", "--json", "--store", "/s"], ["show", "shop@1.0.0", "--files"], ["resolve", "/shop/"],
            ["resolve", "https://a.test/x", "--mount", "shop=/", "--offline"],
            ["serve", "--listen", "[::1]:0", "--check-every", "15m"],
            ["serve", "--host", "shop=shop.example", "--host", "shop=s.example", "--shared-origin"],
            ["resolve", "http://shop.example:8080/", "--host", "shop=shop.example"],
            ["serve", "--public-url", "https://a.example/kiosk/", "--public-url", "http://a.example:8080"],
            ["serve", "--listen", "unix:/a.sock", "--socket-mode", "660"], ["check", "shop", "docs", "-q"],
            ["update", "--random-delay", "5m", "--keep", "0", "--wait"],
            ["update", "-q", "--fail-offline", "--dry-run"],
            ["serve", "--allow-host", "vm:9290", "--log-level", "debug", "--log-format", "json"],
            ["update", "shop", "--feed", "https://a.test/feed.json"], ["activate", "shop@1.0.0"], ["rollback", "shop"],
            ["remove", "shop"], ["prune", "--keep", "2"], ["pin", "shop@1.0.0", "--wait"], ["unpin", "shop@1.0.0"],
            ["installation"], ["installation", "--forget"], ["quota"], ["quota", "500MB"], ["quota", "none"],
            ["install", "a.zip", "--keep", "3"], ["verify"],
            ["export", "shop", "d"],
            ["pack", "d", "a.tar.zst"],
            ["publish", "a.zip", "--to", "d", "--channel", "a", "--channel", "b"], ["cache", "list"],
            [
                "publish", "a.zip", "--to", "d", "--rollout", "12.5%", "--critical", "--minimum-shell", "2", "--prune",
                "3",
            ],
            ["publish", "a.zip", "--to", "d", "--keys", "k", "--passphrase-file", "p"],
            ["keys", "init", "--in", "k", "--passphrase"], ["keys", "show", "--in", "k"],
            ["keys", "rotate", "online", "--in", "k", "--feed", "d", "--feed", "e"],
            ["keys", "add", "release", "--in", "k", "--public", "p", "--sign-with", "a b", "--feed", "d"],
            ["keys", "remove", "root", "4f", "--in", "k"], ["keys", "threshold", "root", "2", "--in", "k"],
            ["keys", "sign", "--in", "k", "--yes", "--feed", "d"], ["keys", "discard", "--in", "k"],
            ["feed", "refresh", "--in", "d", "--keys", "k"], ["feed", "check", "https://a.test/feed.json"],
            ["feed", "check", "d", "--trust", "sha256:\(String(repeating: "0", count: 64))"],
            ["trust", "clock"], ["trust", "clock", "none"], ["trust", "clock", "machine"],
            ["feed", "unpublish", "shop@1.0.0", "--in", "d", "--keys", "k"],
            ["feed", "rollback", "shop", "--to", "1.0.0", "--in", "d"],
            ["feed", "promote", "shop@1.0.0", "--from", "beta", "--to", "stable", "--in", "d"],
            ["feed", "rollout", "shop@1.0.0", "0%", "--group", "a", "--group", "b", "--in", "d"],
            ["feed", "rollout", "shop@1.0.0", "0%", "--no-groups", "--in", "d"],
            ["serve", "--group", "a", "--group", "b"],
            ["update", "--group", "a"], ["check", "--group", "a"], ["publish", "a.zip", "--to", "d", "--group", "a"],
            ["feed", "advance", "shop@1.0.0", "--health", "http://m:9090", "--in", "d"],
            [
                "feed", "advance", "shop@1.0.0", "--health", "https://m/p/", "--steps", "1,50", "--soak", "1d",
                "--max-bad", "0.5%",
                "--least", "9", "--hold-only", "--query-active", "a", "--query-bad", "b", "--in", "d", "--keys", "k",
            ],
            ["feed", "poll", "15m", "--in", "d"], ["feed", "poll", "none", "--in", "d", "--keys", "k"],
            ["feed", "rollout", "shop@1.0.0", "50%", "--in", "d"], ["feed", "revoke", "shop@1.0.0", "--in", "d"],
            [
                "install", "https://a.test/feed.json", "--require-trust", "--trust",
                "sha256:\(String(repeating: "a", count: 64))",
            ],
            ["install", "a.zip", "--require-trust"], ["update", "--require-trust"], ["serve", "--require-trust"],
            ["mirror", "www", "--to", "d"], ["mirror", "https://a.test/feed.json", "--to", "d", "--keys", "k"],
            ["mirror", "www", "--to", "d", "--valid", "90d", "--keys", "k", "--passphrase-file", "p"],
            ["mirror", "www", "--to", "d", "--trust", "sha256:\(String(repeating: "a", count: 64))"],
            ["update", "--from", "d"], ["check", "shop", "--from", "https://a.test/feed.json"],
            ["hold", "shop"], ["unhold", "shop", "--wait"], ["rollback", "shop", "--to", "1.0.0"],
            ["check", "shop", "--explain", "--shell-version", "2.0"], ["update", "--retry"],
            ["cache", "clear", "shop"], ["stats"], ["stats", "shop", "--since", "7d", "--top", "0", "--json"],
            ["stats", "shop", "--misses"], ["serve", "--statistics-every", "off"],
            ["pack", "d", "a.zip", "--include-list", "a", "--include-list", "b"],
        ]
    )
    func taken(_ arguments: [String]) throws {
        let verb = try #require(arguments.first { !["cache", "feed", "keys", "trust"].contains($0) })
        #expect(try Self.verb(of: arguments) == verb)
    }

    @Test(
        "an invalid command line is refused with 64",
        arguments: [
            ["frob"], ["list", "--frob"], ["install"], ["install", "a.zip", "--name", "docs"],
            ["install", "a.zip", "--origin", "https://a.test/"],
            ["install", "a.zip", "--name", "No", "--version", "1"],
            ["install", "a.zip", "--name", "docs", "--version", "x"], ["list", "--store", ""], ["show", "shop@"],
            ["resolve", "shop"], ["resolve", "ftp://a.test/"], ["resolve", "/", "--mount", "shop"],
            ["serve", "--host", "shop"], ["serve", "--host", "shop=a.example:80"],
            ["serve", "--host", "shop=docs.localhost"], ["serve", "--host", "a=x.example", "--host", "b=x.example"],
            ["serve", "--public-url", "/kiosk/"], ["serve", "--public-url", "https://a.example/?q"],
            ["serve", "--public-url", "https://a.example/x", "--public-url", "https://a.example/y"],
            ["serve", "--listen", "80 80"], ["serve", "--check-every", "0s"], ["serve", "--verbose", "--quiet"],
            ["serve", "--verbose", "--log-level", "info"], ["serve", "--log-level", "loud"],
            ["serve", "--mount", "a=/", "--mount", "b=/"], ["serve", "--mount", "a=/x", "--mount", "b=/x/"],
            ["serve", "--offline", "--check-every", "1h"], ["resolve", "/a%zz"], ["serve", "--allow-host", "vm:x"],
            ["serve", "--socket-mode", "660"], ["serve", "--listen", "systemd", "--socket-mode", "660"],
            ["check", "--feed", "https://a.test/feed.json"], ["check", "a", "b", "--feed", "https://a.test/feed.json"],
            ["update", "shop", "--feed", "feed.json"], ["update", "--random-delay", "5"], ["activate", "shop"],
            ["rollback", "shop@1"], ["prune", "--keep=-1"], ["install", "a.zip", "--keep=-1"],
            ["pin", "shop"], ["unpin", "shop"], ["quota", "500"], ["quota", "0MB"], ["quota", "1.5GB"],
            ["update", "--keep=-1"], ["pack", "d", "a.rar"],
            ["publish", "a.zip"], ["publish", "a.zip", "--to", "d", "--name", "docs"],
            ["publish", "a.zip", "--to", "d", "--channel", ""], ["cache", "frob"],
            ["publish", "a.zip", "--to", "d", "--channel", "a b"],
            ["publish", "a.zip", "--to", "d", "--rollout", "5x"],
            ["publish", "a.zip", "--to", "d", "--prune", "0"],
            ["publish", "a.zip", "--to", "d", "--minimum-shell", "x"],
            ["keys", "init"], ["keys", "init", "--in", ""], ["keys", "rotate", "targets", "--in", "k"],
            ["keys", "threshold", "root", "0", "--in", "k"], ["keys", "remove", "root", "--in", "k"],
            ["keys", "add", "root", "--in", "k", "--sign-with", "a"], ["keys", "sign"],
            ["keys", "rotate", "root", "--in", "k", "--public", "p", "--passphrase"],
            ["feed", "refresh", "--in", "d"], ["publish", "a.zip", "--to", "d", "--keys", ""],
            ["publish", "a.zip", "--to", "d", "--passphrase-file", "p"],
            ["feed", "frob"], ["feed", "revoke", "shop@1"], ["feed", "revoke", "shop", "--in", "d"],
            ["feed", "revoke", "shop@1", "--in", ""], ["feed", "rollback", "shop", "--in", "d"],
            ["feed", "promote", "shop@1", "--to", "stable", "--in", "d"], ["feed", "rollout", "shop@1", "--in", "d"],
            ["feed", "rollout", "shop@1", "1%", "--group", "a", "--no-groups", "--in", "d"],
            ["update", "--group", "a b"],
            ["feed", "advance", "shop@1", "--in", "d"],
            ["feed", "advance", "shop", "--health", "http://m", "--in", "d"],
            ["feed", "advance", "shop@1", "--health", "http://m", "--steps", "10,1", "--in", "d"],
            ["feed", "advance", "shop@1", "--health", "http://m", "--least", "0", "--in", "d"],
            ["feed", "advance", "shop@1", "--health", "m:9090", "--in", "d"],
            ["feed", "poll", "8d", "--in", "d"], ["feed", "poll", "--in", "d"],
            ["mirror", "www"], ["mirror", "--to", "d"], ["mirror", "www", "--to", ""],
            ["mirror", "ftp://a.test/", "--to", "d"],
            ["mirror", "www", "--to", "d", "--valid", "90d"],
            ["mirror", "www", "--to", "d", "--valid", "0s", "--keys", "k"],
            ["mirror", "www", "--to", "d", "--keys", ""], ["mirror", "www", "--to", "d", "--passphrase-file", "p"],
            ["mirror", "www", "--to", "d", "--keys", "k", "--trust", "sha256:\(String(repeating: "a", count: 64))"],
            ["update", "--from", "https://a.test/feed.json"],
            ["update", "shop", "--from", "d", "--feed", "https://a.test/feed.json"],
            ["trust", "show"], ["trust", "add", "shop"], ["trust", "remove"], ["trust", "frob"],
            ["trust", "clock", "absent"], ["feed", "check"], ["feed", "check", "d", "--trust", "abc"],
            ["install", "/", "--require-trust"], ["install", "https://a.test/feed.json", "--trust", "abc"],
            ["install", "https://a.test/feed.json", "--trust", "sha256:abc"],
            ["hold"], ["hold", "shop@1"], ["rollback", "shop", "--to", "x"], ["check", "--shell-version", ""],
            ["stats", "--since", "7"], ["stats", "--top=-1"], ["stats", "--misses"], ["stats", "shop@1"],
            ["stats", "shop", "--misses", "--json"], ["serve", "--statistics-every", "0s"],
            ["--version", "--version"], ["list", "--version"], ["--version", "list"],
        ]
    )
    func refused(_ arguments: [String]) {
        do {
            let verb = try Self.verb(of: arguments)
            Issue.record("\(arguments) was taken for \(verb)")
        } catch {
            #expect(BundleCtl.exitCode(for: error).rawValue == ExitStatus.usage.rawValue)
        }
    }

    @Test(
        "options for an archive without a manifest follow the manifest's rules",
        arguments: [
            ["--origin", "https://a.test/", "--origin", "https://A.test:443"], ["--origin", "https://a.test/?q"],
            ["--feed", "https://a.test/feed.json#x"], ["--feed", "https://me@a.test/feed.json"],
            ["--feed", "https://a.test/a b"], ["--feed", "https:///feed.json"], ["--channel", "a b"],
            ["--channel", ""], ["--channel", String(repeating: "a", count: 65)],
        ]
    )
    func manifestRules(_ options: [String]) {
        refused(["install", "a.zip", "--name", "docs", "--version", "1"] + options)
    }

    private static func verb(of arguments: [String]) throws -> String {
        let command = try BundleCtl.verb(of: arguments)
        return type(of: command)._commandName
    }
}
