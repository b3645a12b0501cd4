import BundleStore
import Foundation
import Testing

@testable import BundleUpdate

@Suite("Feed")
struct FeedTests {
    static let base = "https://m.example.com/releases/feed.json?token=1"
    /// The feed's name in errors: its URL without the query.
    static let name = "https://m.example.com/releases/feed.json"
    static let hex = String(repeating: "0f", count: 32)

    /// An entry in which each of `keys` replaces a valid value; nil leaves it out.
    static func entry(_ keys: [String: String?] = [:]) -> String {
        let right: [String: String?] = [
            "version": "\"1.0.0\"", "src": "\"shop-1.0.0.zip\"", "size": "10", "sha256": "\"\(hex)\"",
        ]
        let members = right.merging(keys) { $1 }.compactMap { key, value in value.map { "\"\(key)\": \($0)" } }
        return "{\(members.sorted().joined(separator: ", "))}"
    }

    static func json(_ entries: String...) -> [UInt8] {
        Array("{\"name\": \"shop\", \"versions\": [\(entries.joined(separator: ","))]}".utf8)
    }

    private func parse(_ json: [UInt8], base: String = base) throws -> Feed {
        try Feed.parse(json, baseURL: #require(URL(string: base)))
    }

    @Test("every key is read, and unknown ones are ignored")
    func everyKey() throws {
        let entry = Self.entry([
            "channels": #"["beta", "stable"]"#, "more": "{}", "size": "9223372036854775807", "rollout": "12.5",
            "rolloutSince": "\"2026-01-01T00:00:00Z\"", "groups": #"["lab", "qa"]"#,
            "critical": "true", "minimumShell": "\"2.1\"", "notes": #""Two\nlines""#, "revoked": "true",
        ])
        let feed = try parse(Self.json(entry))
        #expect(feed.name.string == "shop")
        let release = try #require(feed.releases.first)
        #expect(release.version.string == "1.0.0")
        #expect(release.source.absoluteString == "https://m.example.com/releases/shop-1.0.0.zip")
        #expect(release.size == .max)
        #expect(release.digest.hex == Self.hex)
        let expected = ReleaseTerms(
            channels: ["beta", "stable"],
            rollout: try #require(Rollout(percent: 12.5)),
            rolloutSince: Date(timeIntervalSince1970: 1_767_225_600),
            groups: ["lab", "qa"],
            isCritical: true,
            minimumShell: BundleVersion("2.1"),
            notes: "Two\nlines",
            isRevoked: true
        )
        #expect(release.terms == expected)
        #expect(release.isOffered(in: "beta") && !release.isOffered(in: "Beta"))
    }

    @Test("a feed without the optional keys offers its releases to everyone in stable")
    func required() throws {
        let feed = try parse(Self.json(Self.entry()))
        #expect(feed.sequence == nil)
        #expect(feed.releases.map(\.terms) == [ReleaseTerms()])
        #expect(ReleaseTerms().rollout == .everyone)
    }

    @Test("a time of the share that is none is ignored", arguments: ["1767225600", "\"yesterday\"", "null", "{}"])
    func rolloutSince(_ text: String) throws {
        let entry = Self.entry(["rollout": "10", "rolloutSince": text])
        #expect(try parse(Self.json(entry)).releases.map(\.terms.rolloutSince) == [nil])
    }

    @Test(
        "the least time between checks is from a second to seven days, and anything else says nothing",
        arguments: [
            ("1", 1), ("900", 900), ("604800", 604_800), ("604801", nil), ("0", nil), ("-900", nil), ("900.5", nil),
            ("1e999", nil),
            ("\"15m\"", nil), ("null", nil), ("[900]", nil),
        ] as [(String, Int64?)]
    )
    func poll(_ text: String, _ seconds: Int64?) throws {
        let json = Array(#"{"name": "shop", "poll": \#(text), "versions": []}"#.utf8)
        #expect(try parse(json).poll == seconds)
    }

    @Test("channels that are absent or empty mean stable, and none for a pre-release", arguments: [nil, "[]"])
    func channels(_ channels: String?) throws {
        let entries = ["1.0.0", "1.1.0-rc.1"].map { Self.entry(["channels": channels, "version": "\"\($0)\""]) }
        let releases = try parse(Self.json(entries[0], entries[1])).releases
        #expect(releases.map { $0.isOffered(in: "stable") } == [true, false])
        #expect(releases.map { $0.isOffered(in: "anything") } == [false, false])
    }

    @Test(
        "the sequence number is a whole number that every program can read",
        arguments: [
            ("1", 1, nil), ("9007199254740991", 9_007_199_254_740_991, nil),
            ("0", nil, "sequence: “0” is not a whole number from 1 to 9007199254740991"),
            ("-1", nil, "sequence: “-1” is not"), ("1.5", nil, "sequence: “1.5” is not"),
            ("9007199254740992", nil, "sequence: “9007199254740992” is not"),
            (#""7""#, nil, "sequence: must be a number, but is a string"),
        ] as [(String, Int64?, String?)]
    )
    func sequence(_ text: String, _ number: Int64?, _ problem: String?) throws {
        let json = Array(#"{"name": "shop", "sequence": \#(text), "versions": []}"#.utf8)
        guard let problem else {
            #expect(try parse(json).sequence == number)
            return
        }
        let error = #expect(throws: BundleError.self) { try parse(json) }
        #expect(error?.code == .invalidFeed)
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
    }

    @Test("the last of two entries with equal versions is kept, and the order stays")
    func duplicates() throws {
        let entries = [("1.2", 1), ("2.0", 2), ("1.2.0", 3), ("1.0", 4)]
            .map { Self.entry(["version": "\"\($0)\"", "size": "\($1)"]) }
        let feed = try parse(Self.json(entries[0], entries[1], entries[2], entries[3]))
        #expect(feed.releases.map(\.version.string) == ["2.0", "1.2.0", "1.0"])
        #expect(feed.releases.map(\.size) == [2, 3, 4])
    }

    @Test("a feed may be empty")
    func empty() throws {
        #expect(try parse(Self.json()).releases.isEmpty)
    }

    /// RFC 3986 §5.4, as far as it leads to an archive.
    @Test(
        "src is resolved against the feed's URL",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g/x", "http://g/x"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("g;x", "http://a/b/c/g;x"), (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"), ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
            ("g%20h", "http://a/b/c/g%20h"), ("http://b/x", "http://b/x"), ("HTTPS://b/x", "https://b/x"),
        ]
    )
    func resolution(_ source: String, _ expected: String) throws {
        let feed = try parse(Self.json(Self.entry(["src": "\"\(source)\""])), base: "http://a/b/c/d;p?q")
        #expect(feed.releases.first?.source.absoluteString == expected)
    }

    @Test(
        "a feed with a wrong entry is refused, naming the key and its place",
        arguments: [
            ("version", nil, ": the key “version” is missing here; add it"),
            ("version", "1", ".version: must be a string"),
            ("version", #""v1""#, ".version: “v1” is not a version"),
            ("src", nil, ": the key “src” is missing here; add it"),
            ("src", "7", ".src: must be a string, but is a number"),
            ("src", #""""#, ".src: “” is not a URL reference"),
            ("src", #""a b""#, ".src: “a b” is not a URL reference"),
            ("src", #""a\\b""#, #".src: “a\b” is not a URL reference"#),
            ("src", #""a\nb""#, #".src: “a\u{a}b” is not a URL reference"#),
            ("src", #""http:g""#, ".src: “http:g” is not an http or https URL"),
            ("src", #""https:///x""#, ".src: “https:///x” has no valid host"),
            ("src", #""ftp://a/x""#, ".src: “ftp://a/x” is not an http or https URL"),
            ("src", #""file:///etc/passwd""#, ".src: “file:///etc/passwd” "),
            ("src", #""data:,x""#, ".src: “data:,x” "),
            ("src", #""http://a/x""#, ".src: “http://a/x” leaves https for http"),
            ("src", #""https://u@a/x""#, ".src: “https://u@a/x” has a user name"),
            ("src", #""https://u:p@a/x""#, ".src: “https://u:p@a/x” has a user name"),
            ("src", #""//u@a/x""#, ".src: “https://u@a/x” has a user name"),
            ("src", #""a#b""#, ".src: “a#b” has a fragment"),
            ("src", #""ü.zip""#, ".src: “ü.zip” is not a URL reference"),
            ("src", #""%zz""#, ".src: “%zz” is not a URL reference"),
            ("src", #""https://a:65536/x""#, ".src: “https://a:65536/x” has a port"),
            ("src", #""https://[::1/x""#, ".src: “https://[::1/x” is not a URL reference"),
            ("size", nil, ": the key “size” is missing here; add it"),
            ("size", #""10""#, ".size: must be a number of bytes"),
            ("size", "0", ".size: “0” is not a whole number of bytes"),
            ("size", "-1", ".size: “-1” is not a whole number"),
            ("size", "1.5", ".size: “1.5” is not a whole number"),
            ("size", "1e3", ".size: “1e3” is not a whole number"),
            ("size", "9223372036854775808", ".size: “9223372036854775808” is not a whole number"),
            ("sha256", nil, ": the key “sha256” is missing here; add it"),
            ("sha256", #""abc""#, ".sha256: “abc” is not a SHA-256 digest of 64 hexadecimal digits"),
            ("channels", #""beta""#, ".channels: must be a list"),
            ("channels", "[1]", ".channels[0]: must be a string"),
            ("channels", #"["a", ""]"#, ".channels[1]: is an empty channel name"),
            ("rollout", #""10%""#, ".rollout: must be a number of percent, but is a string"),
            ("groups", #""lab""#, ".groups: must be"), ("groups", #"[""]"#, ".groups[0]: is an empty group name"),
            ("rollout", "-1", ".rollout: “-1” is not a number of percent from 0 to 100"),
            ("rollout", "100.5", ".rollout: “100.5” is not"), ("rollout", "1e999", ".rollout: “1e999” is not"),
            ("critical", "1", ".critical: must be true or false, but is a number"),
            ("revoked", #""yes""#, ".revoked: must be true or false, but is a string"),
            ("minimumShell", "2", ".minimumShell: must be a string"),
            ("minimumShell", #""v2""#, ".minimumShell: “v2” is not a version"),
            ("notes", "[]", ".notes: must be a string"),
            ("notes", "\"\(String(repeating: "ä", count: 2_049))\"", ".notes: has 4098 bytes; the limit is 4096"),
        ] as [(String, String?, String)]
    )
    func refusal(_ key: String, _ value: String?, _ message: String) {
        let json = Self.json(Self.entry(), Self.entry([key: value]))
        let error = #expect(throws: BundleError.self) { try parse(json) }
        #expect(error?.code == .invalidFeed)
        let text = error?.message ?? ""
        #expect(text.hasPrefix("\(Self.name): versions[1]\(message)"), "\(text)")
    }

    @Test(
        "text that isn't a feed is refused",
        arguments: [
            ("", "line 1, column 1: the text ends in the middle of a value"),
            ("[]", "must be an object, but is a list"),
            ("<html>", "line 1, column 1: this character does not belong here in JSON"),
            ("{}", "the key “versions” is missing; add it"),
            (#"{"versions": []}"#, "the key “name” is missing; add it"),
            (#"{"name": "S", "versions": []}"#, "name: “S” is not a bundle name"),
            (#"{"name": "s", "versions": {}}"#, "versions: must be a list, but is an object"),
        ]
    )
    func notFeed(_ text: String, _ message: String) {
        let error = #expect(throws: BundleError.self) { try parse(Array(text.utf8)) }
        #expect(error?.code == .invalidFeed)
        #expect(error?.message == "\(Self.name): \(message)")
    }

    @Test("more than 4 MiB is refused unread")
    func size() {
        let json = [UInt8](repeating: 0x20, count: Feed.maximumByteCount + 1)
        let error = #expect(throws: BundleError.self) { try parse(json) }
        #expect(error?.message == "\(Self.name): has 4194305 bytes; the limit is 4194304")
    }

    @Test("no feed ends the process, whichever byte is damaged")
    func damage() throws {
        var refusedCount = 0
        let json = Self.json(Self.entry(["src": "\"https://a:80/%41/../x?y\"", "channels": "[\"a\"]"]))
        for index in json.indices {
            for byte: UInt8 in [0x00, 0x22, 0x23, 0x25, 0x3A, 0x5B, 0x5C, 0x7D, 0xC3] {
                var damaged = json
                damaged[index] = byte
                do { _ = try parse(damaged) } catch is BundleError { refusedCount += 1 }
            }
        }
        #expect(refusedCount > 0)
    }
}
