import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundlePublishing

/// Root keys of two persons, both of which must sign.
struct RootDraftTests {
    /// Two folders: that of the site has all keys but the second person's root key, and the other one that alone.
    private struct Persons {
        let site: SignedSite
        let other: KeyFolder

        init(_ directory: TemporaryDirectory) throws {
            site = try SignedSite(directory)
            other = KeyFolder(site.path(of: "other"), now: { SignedSite.start })
            try site.publish(BundleVersion("1.0.0"))
            try change(other, .adding(.made))
            let key = try #require(try other.overview().keys.first).publicKey
            try change(site.keys, .adding(.published(key)))
            try copy("2.root.json", to: other)
            try copy("1.root.json", to: other)
            // The second key has to sign the root that requires it.
            try change(site.keys, .requiring(2))
            try hand(to: other)
            try sign(other)
            try copy("3.root.json", from: other, to: site.keys)
        }

        @discardableResult
        func change(
            _ folder: KeyFolder,
            _ action: KeyChange.Action,
            of role: KeyRole = .root,
            feeds: [String] = []
        ) throws -> [RotatedFeed] {
            try folder.change(
                KeyChange(action, of: role),
                feeds: feeds,
                passphrase: { _ in [] },
                newPassphrase: { _ in nil }
            )
        }

        @discardableResult
        func sign(_ folder: KeyFolder, feeds: [String] = []) throws -> [RotatedFeed] {
            try folder.sign(feeds: feeds, passphrase: { _ in [] }, confirming: { _ in })
        }

        /// Gives the draft to a person.
        func hand(to folder: KeyFolder) throws { try copy(RootDraft.fileName, to: folder) }

        func copy(_ name: String, from source: KeyFolder? = nil, to folder: KeyFolder) throws {
            let path = "\(folder.path)/\(name)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: "\((source ?? site.keys).path)/\(name)", toPath: path)
        }

        var www: [String] { [site.path(of: "www")] }
    }

    @Test("two persons replace a key in turn, and devices follow", arguments: KeyRole.allCases)
    func inTurn(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let persons = try Persons(directory)
            let site = persons.site
            let device = try site.device()
            #expect(try await site.follow(device).count == 1)
            #expect(try persons.change(site.keys, .replacing(.made), of: role, feeds: persons.www).isEmpty)
            let draft = try #require(try site.keys.overview().draft)
            #expect(draft.version == 4)
            #expect(draft.changes.map { $0.hasPrefix("\(role.rawValue): ") } == [true, true])
            #expect(draft.missing.map(\.count) == [1, 1])
            #expect(try site.keys.overview().rootVersion == 3)
            try persons.hand(to: persons.other)
            try persons.sign(persons.other)
            #expect(try persons.other.overview().draft == nil)
            #expect(try persons.other.overview().rootVersion == 4)
            try persons.copy("4.root.json", from: persons.other, to: site.keys)
            #expect(try site.keys.overview().draft == nil)
            let feeds = try persons.sign(site.keys, feeds: persons.www)
            #expect(feeds.map { $0.archives.map(\.path) } == [["shop-1.0.0.zip"]])
            try site.publish(BundleVersion("1.1.0"))
            #expect(try await site.follow(device).count == 2)
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test("as long as a signature is missing, no device takes the root, and nothing else is changed")
    func incomplete() async throws {
        try await withTemporaryDirectory { directory in
            let persons = try Persons(directory)
            let site = persons.site
            try persons.change(site.keys, .replacing(.made), of: .online, feeds: persons.www)
            let bytes = try directory.read("keys/\(RootDraft.fileName)")
            var roots = try #require(try site.keys.roots())
            #expect(throws: TrustError.self) { try roots.append(bytes) }
            let error = #expect(throws: BundleError.self) {
                try persons.change(site.keys, .requiring(1), feeds: persons.www)
            }
            #expect(error?.message.contains("discard") == true)
            #expect(throws: BundleError.self) { try persons.sign(site.keys) }
            // The feed goes on with the keys before.
            try site.publish(BundleVersion("1.1.0"))
            try site.keys.discardDraft()
            #expect(try site.keys.overview().draft == nil)
            #expect(throws: BundleError.self) { try site.keys.discardDraft() }
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test("a person who doesn't agree signs nothing")
    func refused() async throws {
        struct Refusal: Error {}
        try await withTemporaryDirectory { directory in
            let persons = try Persons(directory)
            try persons.change(persons.site.keys, .replacing(.made), of: .release)
            try persons.hand(to: persons.other)
            let before = try directory.snapshot()
            #expect(throws: Refusal.self) {
                try persons.other.sign(feeds: [], passphrase: { _ in [] }, confirming: { _ in throw Refusal() })
            }
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("a folder without a root key begins nothing")
    func withoutRootKey() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let folder = try site.keys(.release, .online)
            let error = #expect(throws: BundleError.self) {
                try folder.change(
                    KeyChange(.adding(.made), of: .root),
                    feeds: [],
                    passphrase: { _ in [] },
                    newPassphrase: { _ in nil }
                )
            }
            #expect(error?.code == .invalidArgument)
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(RootDraft.fileName)"))
        }
    }

    @Test(
        "a hostile draft is refused",
        arguments: [
            ("", ""), (#""version":4"#, #""version":5"#), (#""version":4"#, #""version":0"#),
            (#""version":4"#, #""version":9223372036854775807"#), (#""_type":"root""#, #""_type":"targets""#),
            (#""threshold":2"#, #""threshold":3"#), (#""threshold":2"#, #""threshold":-1"#),
            (#""expires":"2027-"#, #""expires":"2020-"#), (#""keyids":["#, #""keyids":[1,"#),
            (#""spec_version":"1.0.34""#, #""spec_version":"2.0""#), (#"{"signatures""#, #"{"x""#),
        ]
    )
    func hostile(_ part: String, _ replacement: String) async throws {
        try await withTemporaryDirectory { directory in
            let persons = try Persons(directory)
            try persons.change(persons.site.keys, .replacing(.made), of: .release)
            let text = String(decoding: try directory.read("keys/\(RootDraft.fileName)"), as: UTF8.self)
            let changed = part.isEmpty ? "" : text.replacing(part, with: replacement)
            #expect(changed != text)
            try directory.write(changed, to: "other/\(RootDraft.fileName)")
            let before = try directory.snapshot()
            #expect(throws: BundleError.self) { try persons.sign(persons.other) }
            #expect(try directory.snapshot() == before)
            try persons.other.discardDraft()
        }
    }

    @Test("no bit that is changed makes a draft one that is signed")
    func damaged() async throws {
        try await withTemporaryDirectory { directory in
            let persons = try Persons(directory)
            try persons.change(persons.site.keys, .replacing(.made), of: .root)
            let bytes = try directory.read("keys/\(RootDraft.fileName)")
            let roots = try #require(try persons.site.keys.roots())
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1 << (index % 8)
                let draft = try? RootDraft(parsing: changed, after: roots, at: SignedSite.start)
                #expect(draft?.isComplete != true, "\(index)")
            }
        }
    }

    @Test("what a draft changes besides is told, and signatures that aren't good count for nothing")
    func told() async throws {
        try await withTemporaryDirectory { directory in
            let persons = try Persons(directory)
            try persons.change(persons.site.keys, .replacing(.made), of: .release)
            let text = String(decoding: try directory.read("keys/\(RootDraft.fileName)"), as: UTF8.self)
            let changed = text.replacing(#""consistent_snapshot":true"#, with: #""consistent_snapshot":false,"x":1"#)
            try directory.write(changed, to: "other/\(RootDraft.fileName)")
            let draft = try #require(try persons.other.overview().draft)
            #expect(draft.changes.suffix(2) == ["also changes “consistent_snapshot”", "also changes “x”"])
            #expect(draft.missing.map(\.count) == [2, 2])
            try persons.sign(persons.other)
            #expect(try persons.other.overview().draft?.missing.map(\.count) == [1, 1])
        }
    }
}
