import BundleStore
import BundleTesting
import BundleTrust
import BundleUpdate
import Foundation
import Testing

@testable import BundlePublishing

struct KeyChangeTests {
    @discardableResult
    private func change(_ site: SignedSite, _ action: KeyChange.Action, of role: KeyRole) throws -> [RotatedFeed] {
        try site.keys.change(
            KeyChange(action, of: role),
            feeds: [site.path(of: "www")],
            passphrase: { _ in [] },
            newPassphrase: { _ in nil }
        )
    }

    private func ids(_ site: SignedSite, of role: KeyRole) throws -> [String] {
        try site.keys.overview().keys.filter { $0.roles.contains(role) }.map(\.id)
    }

    @Test(
        "a role gets a second key, both must sign, and one goes: devices follow each step",
        arguments: KeyRole.allCases
    )
    func steps(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let (following, late) = (try site.device(), try site.device())
            try site.publish(BundleVersion("1.0.0"))
            let first = try #require(try ids(site, of: role).first)
            let steps: [KeyChange.Action] = [
                .adding(.made), .requiring(2), .requiring(1), .removing(String(first.prefix(12))),
            ]
            for (index, step) in steps.enumerated() {
                try change(site, step, of: role)
                try site.publish(#require(BundleVersion("1.\(index + 1).0")))
                #expect(try await site.follow(following).count == index + 2)
            }
            #expect(try await site.follow(late).count == 5)
            #expect(try site.keys.overview().rootVersion == 5)
            #expect(try ids(site, of: role).count == 1)
            #expect(try !ids(site, of: role).contains(first))
        }
    }

    @Test(
        "a change that leaves a role which nobody can sign for is refused, and so is one without a key",
        arguments: [
            .requiring(2), .requiring(0), .requiring(-1), .removing(""), .removing("x"), .removing("0123456789abcdef"),
        ] as [KeyChange.Action],
        KeyRole.allCases
    )
    func impossible(_ action: KeyChange.Action, _ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let before = try directory.snapshot()
            let error = #expect(throws: BundleError.self) { try change(site, action, of: role) }
            #expect(error?.code == .invalidArgument)
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("the last key stays, and so do as many as must sign", arguments: [1, 2])
    func lastKeys(_ count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            for _ in 1..<count { try change(site, .adding(.made), of: .release) }
            try change(site, .requiring(count), of: .release)
            let id = try #require(try ids(site, of: .release).last)
            let before = try directory.snapshot()
            let error = #expect(throws: BundleError.self) { try change(site, .removing(id), of: .release) }
            #expect(error?.message.contains("\(count) must sign") == true)
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("no key has two roles", arguments: KeyRole.allCases)
    func reused(_ role: KeyRole) async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let key = try #require(try site.keys.overview().keys.first { $0.roles == [.release] }).publicKey
            let error = #expect(throws: BundleError.self) {
                try site.keys.change(
                    KeyChange(.adding(.published(key)), of: role),
                    feeds: [],
                    passphrase: { _ in [] },
                    newPassphrase: { _ in nil }
                )
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("of several keys that must sign, a rotation replaces the one whose file is there, and no other")
    func partialRotation() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try change(site, .adding(.made), of: .release)
            try change(site, .requiring(2), of: .release)
            let error = #expect(throws: BundleError.self) { try change(site, .replacing(.made), of: .release) }
            #expect(error?.message.contains("which one") == true)
        }
    }

    @Test("publishing says how many release keys are missing, and with all of them devices trust the release")
    func releaseThreshold() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            try change(site, .adding(.made), of: .release)
            try change(site, .requiring(2), of: .release)
            let file = try #require(try site.keys.files().first { $0.path.contains("/release-") }).path
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            try FileManager.default.removeItem(atPath: file)
            let error = #expect(throws: BundleError.self) { try site.publish(BundleVersion("1.1.0")) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("1 of the release keys") == true)
            try bytes.write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            try site.publish(BundleVersion("1.1.0"))
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test("a key whose file is elsewhere is shown, and a second online key on a server changes the feed alone")
    func elsewhere() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            let server = KeyFolder(site.path(of: "server"))
            _ = try server.change(
                KeyChange(.adding(.made), of: .online),
                feeds: [],
                passphrase: { _ in [] },
                newPassphrase: { _ in nil }
            )
            let key = try #require(try server.overview().keys.first)
            #expect(key.roles.isEmpty)
            try change(site, .adding(.published(key.publicKey)), of: .online)
            let overview = try site.keys.overview()
            #expect(overview.otherKeys.map(\.id) == [key.id])
            #expect(overview.otherKeys.map(\.roles) == [[.online]])
            #expect(overview.roles.map(\.keyCount) == [1, 1, 2])
            for root in ["1.root.json", "2.root.json"] {
                try FileManager.default.copyItem(
                    atPath: "\(site.keys.path)/\(root)",
                    toPath: "\(server.path)/\(root)"
                )
            }
            try site.change(.revoke(BundleVersion("1.0.0")), signing: site.signing(server))
            #expect(try await site.follow(site.device()).count == 1)
        }
    }

    @Test("a key of a kind that isn't known here is shown and kept, counts for nothing, and can be removed")
    func unknownKind() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            let text = String(decoding: try directory.read("keys/1.root.json"), as: UTF8.self)
            let odd = #""odd":{"keytype":"lattice","scheme":"lattice","keyval":{"other":[1]}}"#
            let foreign = text.replacing(#""keys":{"#, with: #""keys":{\#(odd),"#)
                .replacing(#""root":{"keyids":["#, with: #""root":{"keyids":["odd","#)
            let keys = try site.signing()
            let root = try #require(keys.roots?.latest.root)
            let bytes = try MetadataDocument.encoded(
                RootDocument(parsing: Array(foreign.utf8)).signed,
                by: keys.signers(for: .root, by: root)
            )
            try directory.write(bytes, to: "keys/1.root.json")
            let other = try #require(try site.keys.overview().otherKeys.first)
            #expect(other.id == "odd")
            #expect(other.type == "lattice")
            #expect(other.roles == [.root])
            try site.publish(BundleVersion("1.0.0"))
            try change(site, .adding(.made), of: .online)
            #expect(String(decoding: try directory.read("keys/2.root.json"), as: UTF8.self).contains(odd))
            let error = #expect(throws: BundleError.self) { try change(site, .requiring(2), of: .root) }
            #expect(error?.code == .invalidArgument)
            try change(site, .removing("odd"), of: .root)
            #expect(try site.keys.overview().otherKeys.isEmpty)
            #expect(try await site.follow(site.device()).count == 1)
        }
    }

    @Test(
        "a feed that wasn't named goes on with the online key before, until the next release delegates to the new one too"
    )
    func unnamed() async throws {
        try await withTemporaryDirectory { directory in
            let site = try SignedSite(directory)
            try site.publish(BundleVersion("1.0.0"))
            for _ in 0..<4 {
                _ = try site.keys.change(
                    KeyChange(.adding(.made), of: .online),
                    feeds: [],
                    passphrase: { _ in [] },
                    newPassphrase: { _ in nil }
                )
            }
            let rollout = try #require(Rollout(percent: 10))
            try site.change(.rollOut(BundleVersion("1.0.0"), rollout), signing: site.signing())
            #expect(try await site.follow(site.device()).count == 1)
            try site.publish(BundleVersion("1.1.0"))
            #expect(try await site.follow(site.device()).count == 2)
        }
    }

    @Test(
        "a public key is read as tools write it",
        arguments: [
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n",
            "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
            #"{"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}}"#,
            #"{"public": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "private": "00"}"#,
        ]
    )
    func publicKey(_ text: String) throws {
        let key = try PublishedKey(reading: Array(text.utf8), named: "key")
        #expect(key.text == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        #expect(key.type == "ed25519")
    }

    @Test(
        "what isn't a public key is refused",
        arguments: ["", "00", "{", "{}", "[]", #"{"public": 1}"#, #"{"keytype": "x", "keyval": {"public": "00"}}"#]
    )
    func noPublicKey(_ text: String) throws {
        let error = #expect(throws: BundleError.self) { try PublishedKey(reading: Array(text.utf8), named: "key") }
        #expect(error?.code == .invalidArgument)
    }
}
