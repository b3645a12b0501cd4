import BundleStore
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundlePublishing

struct KeyFolderTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a new folder has a key for each role and a root that they are in, and nobody else can read it")
    func initialized() async throws {
        try await withTemporaryDirectory { directory in
            let folder = KeyFolder(directory.path(of: "keys"))
            try folder.initialize(passphrase: nil)
            let overview = try folder.overview()
            #expect(overview.keys.map(\.roles) == [[.online], [.release], [.root]])
            #expect(Set(overview.keys.map(\.id)).count == 3)
            #expect(overview.rootVersion == 1)
            #expect(overview.firstRoot == Digest(of: try directory.read("keys/1.root.json")))
            #expect(try mode(folder.path) == 0o700)
            for key in overview.keys { #expect(try mode(key.path) == 0o600) }
        }
    }

    @Test("a root is one that devices trust, for a year")
    func root() async throws {
        try await withTemporaryDirectory { directory in
            let now = Date(timeIntervalSince1970: 1_767_225_600)
            try KeyFolder(directory.path(of: "keys"), now: { now }).initialize(passphrase: nil)
            let root = try TrustedState(anchor: directory.read("keys/1.root.json")).root
            #expect(root.isConsistentSnapshot)
            #expect(root.expiry == now + 365 * 86_400)
            #expect(root.snapshot == root.timestamp)
            #expect(Set([root.root, root.targets, root.snapshot].flatMap(\.keys.values)).count == 3)
        }
    }

    @Test("keys are never overwritten")
    func repeated() async throws {
        try await withTemporaryDirectory { directory in
            let folder = KeyFolder(directory.path(of: "keys"))
            try folder.initialize(passphrase: nil)
            let before = try directory.snapshot()
            let error = #expect(throws: BundleError.self) { try folder.initialize(passphrase: nil) }
            #expect(error?.code == .invalidArgument)
            #expect(try directory.snapshot() == before)
        }
    }

    @Test("a folder or a key that others can read is refused", arguments: ["keys", "key"])
    func shared(_ what: String) async throws {
        try await withTemporaryDirectory { directory in
            let folder = KeyFolder(directory.path(of: "keys"))
            try folder.initialize(passphrase: nil)
            let key = try #require(try folder.files().first).path
            let path = what == "keys" ? folder.path : key
            try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: path)
            let error = #expect(throws: BundleError.self) { try folder.overview() }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("chmod") == true)
        }
    }

    @Test("a folder without keys isn't to get another mode, unless it is to have some")
    func withoutKeys() async throws {
        try await withTemporaryDirectory { directory in
            let folder = KeyFolder(try directory.write(tree: ["index.html": ""], to: "site"))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            #expect(try folder.overview().keys.isEmpty)
            let error = #expect(throws: BundleError.self) { try folder.initialize(passphrase: nil) }
            #expect(error?.message.contains("chmod") == true)
            #expect(try folder.files().isEmpty)
        }
    }

    @Test("a feed isn't written among keys")
    func feedAmongKeys() async throws {
        try await withTemporaryDirectory { directory in
            let folder = KeyFolder(directory.path(of: "keys"))
            try folder.initialize(passphrase: nil)
            let roots = try #require(try folder.roots())
            let error = #expect(throws: BundleError.self) { try SignedFeed(folder.path, known: roots) }
            #expect(error?.code == .invalidArgument)
            try FileManager.default.createDirectory(
                atPath: directory.path(of: "www"),
                withIntermediateDirectories: false
            )
            _ = try SignedFeed(directory.path(of: "www"), known: roots)
        }
    }

    @Test("a link to a folder is as good as the folder")
    func linked() async throws {
        try await withTemporaryDirectory { directory in
            try KeyFolder(directory.path(of: "keys")).initialize(passphrase: nil)
            let link = KeyFolder(directory.path(of: "link"))
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "keys")
            #expect(try link.overview().keys.count == 3)
            try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: directory.path(of: "keys"))
            let error = #expect(throws: BundleError.self) { try link.overview() }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("an encrypted key opens with its passphrase alone, and shows its public half without one")
    func passphrase() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
            let key = SigningKey()
            try KeyFile.write(key, for: .root, passphrase: Array("open".utf8), in: directory.path)
            let file = try #require(try KeyFolder(directory.path).files().first)
            #expect(file.isEncrypted)
            #expect(file.publicKey == key.publicKey)
            let opened = try file.key(running: KeyFolder.refuse) { _ in Array("open".utf8) }
            #expect((opened as? SigningKey)?.secret == key.secret)
            let error = #expect(throws: BundleError.self) {
                try file.key(running: KeyFolder.refuse) { _ in Array("shut".utf8) }
            }
            #expect(error?.code == .invalidArgument)
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file.path)), as: UTF8.self)
            #expect(!text.contains(Hexadecimal.string(of: key.secret)))
        }
    }

    @Test(
        "a file that isn't a key is refused",
        arguments: [
            "", "{}", #"{"public": "00"}"#, #"{"public": "\#(String(repeating: "a", count: 64))", "private": "00"}"#,
            #"{"public": "\#(String(repeating: "a", count: 64))", "encrypted": {"n": 3, "salt": "", "box": ""}}"#,
        ]
    )
    func malformed(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write(text, to: "root-1.key.json")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let error = #expect(throws: BundleError.self) { try KeyFile(path) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("the name of a key is the one that python-tuf gives it")
    func name() throws {
        let text = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        let key = try #require(PublishedKey(text))
        #expect(try PublishedKey(reading: Array(text.utf8), named: "key") == key)
        let canonical = #"{"keytype":"ed25519","keyval":{"public":"\#(text)"},"scheme":"ed25519"}"#
        #expect(key.id == Digest(of: Array(canonical.utf8)).hex)
    }
}
