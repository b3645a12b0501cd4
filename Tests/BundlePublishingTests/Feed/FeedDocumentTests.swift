import BundleStore
import Foundation
import Testing

@testable import BundlePublishing
@testable import BundleUpdate

@Suite("FeedDocument")
struct FeedDocumentTests {
    private func entry(_ version: String, path: String = "a.zip", size: Int64 = 1, _ channels: [String] = []) throws
        -> FeedEntry
    {
        FeedEntry(
            version: try #require(BundleVersion(version)),
            path: try BundlePath(path),
            size: size,
            digest: Digest(of: Array(version.utf8)),
            terms: ReleaseTerms(channels: channels)
        )
    }

    private func document(_ versions: String...) throws -> FeedDocument {
        try versions.reduce(FeedDocument(name: BundleName("shop"))) { try $0.adding(entry($1)) }
    }

    @Test("releases are kept with the highest version first, however they were added")
    func order() throws {
        let document = try document("1.9.0", "1.10.0", "1.10.0-rc.1", "1.2.0")
        #expect(document.entries.map(\.version.string) == ["1.10.0", "1.10.0-rc.1", "1.9.0", "1.2.0"])
    }

    @Test("a release replaces one with an equal version and no other")
    func replacement() throws {
        let document = try document("1.0", "2.0").adding(entry("1.0.0", size: 7))
        #expect(document.entries.map(\.version.string) == ["2.0", "1.0.0"])
        #expect(document.entries.map(\.size) == [1, 7])
    }

    @Test("the text is formatted for reading")
    func encoding() throws {
        let document = try document("1.0").adding(entry("2.0", path: "old/my shop:é.zip", size: 5, ["beta"]))
        let digests = ["2.0", "1.0"].map { Digest(of: Array($0.utf8)).hex }
        let expected = """
            {
              "name": "shop",
              "sequence": 2,
              "versions": [
                {
                  "version": "2.0",
                  "src": "old/my%20shop%3A%C3%A9.zip",
                  "size": 5,
                  "sha256": "\(digests[0])",
                  "channels": [
                    "beta"
                  ]
                },
                {
                  "version": "1.0",
                  "src": "a.zip",
                  "size": 1,
                  "sha256": "\(digests[1])"
                }
              ]
            }

            """
        #expect(String(decoding: document.encoded(), as: UTF8.self) == expected)
    }

    @Test("a written document is read back the same, as a document and as a feed")
    func roundTrip() throws {
        let document = try document("1.0", "2.0").adding(entry("3.0", path: "x/ü #1.zip", ["a", "b"]))
        #expect(try FeedDocument.parse(document.encoded(), named: "feed.json") == document)
        let feed = try Feed.parse(document.encoded(), baseURL: #require(URL(string: "https://a/b/feed.json")))
        #expect(feed.releases.map(\.version) == document.entries.map(\.version))
        #expect(feed.releases.first?.source.absoluteString == "https://a/b/x/%C3%BC%20%231.zip")
    }

    @Test("unknown keys are kept, in the feed and in its entries, with every digit")
    func unknownKeys() throws {
        let hex = Digest(of: []).hex
        let json = """
            {"title": "Läden", "versions": [{"later": [1.50, null], "version": "1.0", "src": "../x", "size": 1, "sha256": "\(hex)"}],
             "name": "shop", "serial": 123456789012345678901234567890}
            """
        let document = try FeedDocument.parse(Array(json.utf8), named: "feed.json").adding(entry("2.0"))
        let text = String(decoding: document.encoded(), as: UTF8.self)
        #expect(text.contains("  \"title\": \"Läden\",\n  \"serial\": 123456789012345678901234567890\n}\n"))
        #expect(text.contains("      \"later\": [\n        1.50,\n        null\n      ]\n"))
        #expect(text.contains("\"src\": \"../x\""))
        #expect(try FeedDocument.parse(document.encoded(), named: "feed.json") == document)
    }

    @Test("each change raises the sequence number by one, and what changes nothing doesn't")
    func sequence() throws {
        let empty = FeedDocument(name: BundleName("shop"))
        let first = try empty.adding(entry("1.0"))
        #expect((empty.sequence, first.sequence) == (0, 1))
        #expect(try first.adding(entry("1.0")) == first)
        let second = try first.replacing([])
        #expect(second.sequence == 2)
        #expect(try second.replacing(first.entries).sequence == 3)
        #expect(try FeedDocument.parse(second.encoded(), named: "feed.json").sequence == 2)
    }

    @Test("a feed without a sequence number gets its first by the next change")
    func firstSequence() throws {
        let feed = Array(#"{"name": "shop", "versions": []}"#.utf8)
        let document = try FeedDocument.parse(feed, named: "feed.json")
        #expect(document.sequence == 0)
        #expect(try document.adding(entry("1.0")).sequence == 1)
    }

    @Test("a sequence number that can't be raised doesn't start over")
    func lastSequence() throws {
        let feed = Array(#"{"name": "shop", "sequence": 9007199254740991, "versions": []}"#.utf8)
        let document = try FeedDocument.parse(feed, named: "feed.json")
        let error = #expect(throws: BundleError.self) { try document.adding(entry("1.0")) }
        #expect(error?.code == .invalidFeed)
    }

    @Test("what an entry says is written only where it says something, and read back the same")
    func terms() throws {
        var one = try entry("1.0")
        one.terms = ReleaseTerms(
            channels: ["beta"],
            rollout: try #require(Rollout(percent: 12.5)),
            rolloutSince: Date(timeIntervalSince1970: 1_767_225_600),
            groups: ["lab"],
            isCritical: true,
            minimumShell: BundleVersion("2.0"),
            notes: "New: “search”",
            isRevoked: true
        )
        var two = try entry("2.0")
        two.terms.rollout = try #require(Rollout(percent: 10))
        let document = try self.document().adding(one).adding(two)
        let text = String(decoding: document.encoded(), as: UTF8.self)
        #expect(text.contains("\"rollout\": 10\n"))
        #expect(text.contains("\"rollout\": 12.5,\n      \"rolloutSince\": \"2026-01-01T00:00:00Z\",\n"))
        #expect(
            text.contains(
                "\"groups\": [\n        \"lab\"\n      ],\n      \"critical\": true,\n      \"minimumShell\": \"2.0\",\n"
            )
        )
        #expect(text.contains("      \"notes\": \"New: “search”\",\n      \"revoked\": true\n"))
        #expect(try FeedDocument.parse(document.encoded(), named: "feed.json") == document)
    }

    @Test("the least time between checks is kept by other changes, written, read back, and ends")
    func poll() throws {
        let slow = try document().changing(.poll(900), at: Date())
        let more = try slow.adding(entry("2.0"))
        #expect((slow.poll, more.poll) == (900, 900))
        #expect(try more.changing(.poll(900), at: Date()) == more)
        #expect(String(decoding: more.encoded(), as: UTF8.self).contains("\n  \"poll\": 900,\n  \"versions\""))
        #expect(try FeedDocument.parse(more.encoded(), named: "feed.json") == more)
        let fast = try more.changing(.poll(nil), at: Date())
        #expect(fast.sequence == more.sequence + 1)
        #expect(!String(decoding: fast.encoded(), as: UTF8.self).contains("poll"))
    }

    @Test("a feed with a wrong entry isn't extended")
    func refusal() {
        let json = Array(#"{"name": "shop", "versions": [{"version": "1"}]}"#.utf8)
        let error = #expect(throws: BundleError.self) { try FeedDocument.parse(json, named: "feed.json") }
        #expect(error?.code == .invalidFeed)
        #expect(error?.message == "feed.json: versions[0]: the key “src” is missing here; add it")
    }
}
