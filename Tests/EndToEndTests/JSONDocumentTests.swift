import BundleTesting
import Foundation
import Testing

/// The documents of `--json` have the keys that JSONDocuments.md lists, all of them and no others.
struct JSONDocumentTests {
    /// How to get a document: the commands to run before, and the one that prints it.
    struct Sample: CustomTestStringConvertible {
        let verb: String
        var preparation: [[String]] = []
        var arguments: [String] = []

        var testDescription: String { verb }

        /// `V1` and `V2` stand for the archives, `ORIGIN` for the publisher's address, `SITE` for the folder of its
        /// feed, `NEW` for a path that doesn't exist.
        static let all = [
            Sample(verb: "install", arguments: ["V1"]),
            Sample(verb: "list", preparation: both),
            Sample(verb: "show", preparation: both, arguments: ["shop", "--files"]),
            Sample(verb: "resolve", preparation: both, arguments: ["ORIGIN/shop/"]),
            Sample(verb: "check", preparation: [["install", "V1"], publish]),
            Sample(verb: "check", preparation: [["install", "V1"], publish], arguments: ["--explain"]),
            Sample(verb: "update", preparation: [["install", "V1"], publish]),
            Sample(verb: "schedule", arguments: ["--cron"]),
            Sample(verb: "activate", preparation: both, arguments: ["shop@1.0.0"]),
            Sample(verb: "rollback", preparation: both, arguments: ["shop"]),
            Sample(verb: "mark-good", preparation: both, arguments: ["shop@1.1.0"]),
            Sample(verb: "mark-bad", preparation: both, arguments: ["shop@1.1.0"]),
            Sample(verb: "hold", preparation: both, arguments: ["shop"]),
            Sample(verb: "unhold", preparation: both, arguments: ["shop"]),
            Sample(verb: "trust add", arguments: trusted),
            Sample(verb: "trust list", preparation: [["trust", "add"] + trusted]),
            Sample(verb: "trust show", preparation: [["trust", "add"] + trusted], arguments: ["shop"]),
            Sample(verb: "trust clock", arguments: ["none"]),
            Sample(verb: "trust remove", preparation: [["trust", "add"] + trusted], arguments: ["shop"]),
            Sample(verb: "history", preparation: [["install", "V1"], publish, ["update"]], arguments: ["shop"]),
            Sample(verb: "remove", preparation: both, arguments: ["shop@1.0.0"]),
            Sample(verb: "pin", preparation: both, arguments: ["shop@1.0.0"]),
            Sample(verb: "unpin", preparation: both, arguments: ["shop@1.0.0"]),
            Sample(verb: "installation", preparation: both),
            Sample(verb: "quota", preparation: both, arguments: ["1GB"]),
            Sample(verb: "prune", preparation: both, arguments: ["--keep", "0"]),
            Sample(verb: "doctor", preparation: both, arguments: ["--offline"]),
            Sample(verb: "export", preparation: both, arguments: ["shop", "NEW"]),
            Sample(
                verb: "init",
                preparation: [["install", "V1"], ["export", "shop", "NEW"]],
                arguments: ["NEW", "--force", "--fallback", "index.html"]
            ),
            Sample(verb: "pack", arguments: [Project.path("bundles/shop/1.0.0"), "NEW.zip"]),
            Sample(verb: "publish", arguments: ["V2", "--to", "SITE"]),
            Sample(verb: "publish", arguments: ["V2", "--to", "SITE", "--check"]),
            Sample(
                verb: "publish",
                preparation: [["keys", "init", "--in", "NEW"]],
                arguments: ["V2", "--to", "SITE", "--keys", "NEW"]
            ),
            Sample(verb: "keys init", arguments: ["--in", "NEW"]),
            Sample(verb: "keys show", preparation: [["keys", "init", "--in", "NEW"]], arguments: ["--in", "NEW"]),
            Sample(verb: "feed list", preparation: [publish], arguments: site),
            Sample(
                verb: "feed show",
                preparation: [["publish", "V1", "--to", "SITE"], publish],
                arguments: ["shop@1.1.0"] + site
            ),
            Sample(verb: "feed unpublish", preparation: [publish], arguments: ["shop@1.1.0"] + site),
            Sample(
                verb: "feed promote",
                preparation: [publish],
                arguments: ["shop@1.1.0", "--from", "stable", "--to", "beta"] + site
            ),
            Sample(
                verb: "feed rollout",
                preparation: [publish],
                arguments: ["shop@1.1.0", "50%", "--group", "a"] + site
            ),
            Sample(
                verb: "feed advance",
                preparation: [publish + ["--rollout", "10%"]],
                arguments: ["shop@1.1.0", "--health", "ORIGIN"] + site
            ),
            Sample(verb: "feed poll", preparation: [publish], arguments: ["15m"] + site),
            Sample(verb: "feed revoke", preparation: [publish], arguments: ["shop@1.1.0"] + site),
            Sample(
                verb: "feed rollback",
                preparation: [["publish", "V1", "--to", "SITE"], publish],
                arguments: ["shop", "--to", "1.0.0"] + site
            ),
            Sample(
                verb: "feed check",
                preparation: [
                    ["keys", "init", "--in", "NEW"], ["publish", "V2", "--to", "SITE", "--keys", "NEW"],
                ],
                arguments: ["SITE"]
            ),
            Sample(
                verb: "keys rotate",
                preparation: [
                    ["keys", "init", "--in", "NEW"], ["publish", "V2", "--to", "SITE", "--keys", "NEW"],
                ],
                arguments: ["online", "--in", "NEW", "--feed", "SITE"]
            ),
            Sample(verb: "keys add", preparation: keys, arguments: ["release", "--in", "NEW"]),
            Sample(verb: "keys threshold", preparation: keys, arguments: ["root", "1", "--in", "NEW"]),
            Sample(
                verb: "keys remove",
                preparation: keys + [otherKey],
                arguments: ["root", "74c1", "--in", "NEW"]
            ),
            Sample(
                verb: "keys sign",
                preparation: keys + [["publish", "V2", "--to", "SITE", "--keys", "NEW"]],
                arguments: ["--in", "NEW", "--feed", "SITE"]
            ),
            Sample(
                verb: "keys show",
                preparation: keys + [otherKey, ["keys", "threshold", "root", "2", "--in", "NEW"]],
                arguments: ["--in", "NEW"]
            ),
            Sample(
                verb: "keys discard",
                preparation: keys + [otherKey, ["keys", "threshold", "root", "2", "--in", "NEW"]],
                arguments: ["--in", "NEW"]
            ),
            Sample(
                verb: "mirror",
                preparation: [
                    ["keys", "init", "--in", "NEW"], ["publish", "V2", "--to", "SITE", "--keys", "NEW"],
                ],
                arguments: ["SITE", "--to", "STICK", "--valid", "90d", "--keys", "NEW"]
            ),
            Sample(
                verb: "feed refresh",
                preparation: [
                    ["keys", "init", "--in", "NEW"], ["publish", "V2", "--to", "SITE", "--keys", "NEW"],
                ],
                arguments: ["--keys", "NEW"] + site
            ),
        ]

        private static let keys = [["keys", "init", "--in", "NEW"]]
        /// A key whose file is elsewhere.
        private static let otherKey = [
            "keys", "add", "root", "--in", "NEW", "--public",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        ]
        private static let both = [["install", "V1"], ["install", "V2"]]
        private static let publish = ["publish", "V2", "--to", "SITE"]
        private static let trusted = ["shop", Project.path("Tests/BundleTrustTests/PythonRepository/1.root.json")]
        private static let site = ["--in", "SITE"]
    }

    @Test(arguments: Sample.all)
    func `a document has the keys that are documented`(sample: Sample) async throws {
        try await withPublisher { publisher, bundlectl in
            for step in sample.preparation {
                let result = try await bundlectl.run(Self.resolve(step, publisher))
                try #require(result.exitCode == 0, "\(result.errorOutput)")
            }
            let arguments =
                sample.verb.split(separator: " ").map(String.init) + Self.resolve(sample.arguments, publisher)
            try Self.expectDocumented(try await bundlectl.json(arguments), of: sample.verb)
        }
    }

    @Test func `verify's has, even with damage`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try bundlectl.flipBit()
            try Self.expectDocumented(try await bundlectl.json("verify"), of: "verify")
        }
    }

    @Test func `verify's has, even with repairs`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.expect(0, "install", publisher.archive("1.1.0"))
            try bundlectl.flipBit()
            let repair = ["verify", "--repair", "--offline", "--from", publisher.archive("1.0.0")]
            try Self.expectDocumented(try await bundlectl.json(repair), of: "verify")
        }
    }

    @Test func `show's has, also of the storage`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            for arguments in [["show", "--storage"], ["show", "--storage", "shop"]] {
                try Self.expectDocumented(try await bundlectl.json(arguments), of: "show --storage")
            }
        }
    }

    @Test func `the cache's have`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, _ in
                let stock = try await Curl.get("\(address)/shop/api/stock.json")
                #expect(stock.status == 200)
                try await bundlectl.waitUntilCached("stock.json")
            }
            try Self.expectDocumented(try await bundlectl.json("cache", "list"), of: "cache list")
            try Self.expectDocumented(try await bundlectl.json("cache", "clear"), of: "cache clear")
        }
    }

    @Test func `the statistics' has`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await bundlectl.serving { address, server in
                _ = try await Curl.get("\(address)/shop/api/stock.json")
                _ = try await server.terminate()
            }
            let arguments = ["stats", "shop", "--since", "1d"]
            try Self.expectDocumented(try await bundlectl.json(arguments), of: "stats")
        }
    }

    @Test func `the network's have, with an origin that was asked`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try Self.expectDocumented(try await bundlectl.json("network", "metered", "on"), of: "network metered")
            try await bundlectl.serving { address, server in
                _ = try await Curl.get("\(address)/shop/api/stock.json")
                _ = try await server.terminate()
            }
            try Self.expectDocumented(try await bundlectl.json("network"), of: "network")
        }
    }

    @Test func `every verb but serve is documented`() throws {
        let others = [
            "verify", "show --storage", "cache list", "cache clear", "network", "network metered", "stats",
        ]
        let verbs = Set(Sample.all.map(\.verb) + others)
        #expect(Set(try DocumentedKeys.all().keys) == verbs)
    }

    private static func resolve(_ arguments: [String], _ publisher: Publisher) -> [String] {
        arguments.map { argument in
            switch argument {
            case "STICK": publisher.directory.path(of: "stick")
            case "V1": publisher.archive("1.0.0")
            case "V2": publisher.archive("1.1.0")
            case "SITE": publisher.site + "/releases"
            default:
                argument.replacingOccurrences(of: "ORIGIN", with: publisher.origin)
                    .replacingOccurrences(of: "NEW", with: publisher.directory.path(of: "new"))
            }
        }
    }

    private static func expectDocumented(_ document: AnyJSON, of verb: String) throws {
        let documented = try #require(try DocumentedKeys.all()[verb])
        let keys = document.allKeys
        #expect(keys.subtracting(documented.all) == [], "not in JSONDocuments.md")
        #expect(documented.required.subtracting(keys) == [], "not in the document")
    }
}

extension AnyJSON {
    /// The keys of all objects, at any depth.
    fileprivate var allKeys: Set<String> {
        switch self {
        case .object(let members): members.values.reduce(into: Set(members.keys)) { $0.formUnion($1.allKeys) }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.allKeys) }
        default: []
        }
    }
}
