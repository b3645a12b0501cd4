import BundleInstall
import BundleModel
import BundleStore
import BundleTar
import BundleTesting
import BundleTrust
import Foundation
import Testing

@testable import BundleUpdate

@Suite("A root that a program has")
struct PublisherRootTests {
    @Test(
        "is given by its digest as keys show prints it",
        arguments: [
            ("sha256:\(String(repeating: "0a", count: 32))", true), (String(repeating: "0a", count: 32), true),
            ("", false), ("sha256:", false), ("sha256:0a", false),
            ("sha512:\(String(repeating: "0a", count: 32))", false),
        ]
    )
    func digest(_ text: String, _ isOne: Bool) throws {
        guard isOne else {
            let error = #expect(throws: BundleError.self) { try PublisherRoot(sha256: text) }
            #expect(error?.code == .invalidArgument)
            return
        }
        #expect(try PublisherRoot(sha256: text).sha256 == String(repeating: "0a", count: 32))
    }

    @Test("is read from a file, which has to be one that is signed by its own keys")
    func file() async throws {
        try await withRoots { roots, directory in
            let url = URL(fileURLWithPath: try directory.write(roots[0], to: "root.json"))
            #expect(try PublisherRoot(contentsOf: url) == PublisherRoot(roots[0]))
            #expect(try PublisherRoot(contentsOf: url).sha256 == Digest(of: roots[0]).hex)
            let wrong = URL(fileURLWithPath: try directory.write(Array("{}".utf8), to: "wrong.json"))
            for (url, code) in [
                (wrong, .invalidArgument), (wrong.appending(path: "none"), .inputUnavailable),
                (URL(string: "https://get.example.com/root.json")!, .invalidArgument),
            ] as [(URL, BundleError.Code)] {
                let error = #expect(throws: BundleError.self) { try PublisherRoot(contentsOf: url) }
                #expect(error?.code == code)
            }
        }
    }

    /// A root, and what is trusted when the program comes with it.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        /// The number of the root that the program has, and whether it has only the digest.
        let shipped: Int
        var isDigest = false
        var isOther = false
        /// The numbers of the latest root and of those that were followed; nil when nothing is trusted.
        let trusted: (latest: Int, followed: [Int])?
        let expected: RootRelation

        static let all = [
            Case(testDescription: "first", shipped: 1, trusted: nil, expected: .first),
            Case(testDescription: "first digest", shipped: 1, isDigest: true, trusted: nil, expected: .first),
            Case(testDescription: "same", shipped: 1, trusted: (1, [1]), expected: .known),
            Case(
                testDescription: "same digest",
                shipped: 1,
                isDigest: true,
                trusted: (3, [1, 2, 3]),
                expected: .known
            ),
            Case(testDescription: "next", shipped: 2, trusted: (1, [1]), expected: .next(replacesOnlineKeys: true)),
            Case(
                testDescription: "next, same keys",
                shipped: 3,
                trusted: (2, [1, 2]),
                expected: .next(replacesOnlineKeys: false)
            ),
            Case(testDescription: "later", shipped: 3, trusted: (1, [1]), expected: .later),
            Case(testDescription: "latest", shipped: 3, trusted: (3, [1, 2, 3]), expected: .known),
            Case(testDescription: "earlier", shipped: 2, trusted: (3, [1, 2, 3]), expected: .known),
            Case(testDescription: "earlier than is known", shipped: 2, trusted: (3, [3]), expected: .other),
            Case(testDescription: "other", shipped: 1, isOther: true, trusted: (1, [1]), expected: .other),
            Case(testDescription: "other next", shipped: 2, isOther: true, trusted: (1, [1]), expected: .other),
            Case(
                testDescription: "other earlier",
                shipped: 2,
                isOther: true,
                trusted: (3, [1, 2, 3]),
                expected: .other
            ),
            // The feed can't lead to it.
            Case(testDescription: "other later", shipped: 3, isOther: true, trusted: (1, [1]), expected: .later),
            Case(
                testDescription: "other digest",
                shipped: 1,
                isDigest: true,
                isOther: true,
                trusted: (1, [1]),
                expected: .other
            ),
        ]
    }

    @Test("is compared with those that are trusted", arguments: Case.all)
    func relation(_ row: Case) async throws {
        try await withRoots { roots, _ in
            let bytes = roots[row.shipped - 1 + (row.isOther ? 3 : 0)]
            let shipped = try row.isDigest ? PublisherRoot(sha256: Digest(of: bytes).hex) : PublisherRoot(bytes)
            let trusted = row.trusted.map { latest, followed in
                TrustedRoots(
                    anchor: Digest(of: roots[0]),
                    latest: roots[latest - 1],
                    followed: Dictionary(uniqueKeysWithValues: followed.map { (Int64($0), Digest(of: roots[$0 - 1])) })
                )
            }
            #expect(RootRelation(of: shipped, to: trusted) == row.expected)
        }
    }

    /// Calls `body` with three roots of a publisher, each signed by the one before, and three of another one. The second ones have other
    /// keys.
    private func withRoots(_ body: ([[UInt8]], TemporaryDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let roots = try [UInt8(0), 100].flatMap { offset in
                var signer = try SigningPublisher(in: directory, network: ScriptedTransport())
                (signer.rootKey, signer.onlineKey) = (SigningKey(offset + 1), SigningKey(offset + 3))
                try signer.signRoot()
                let earlier = signer.rootKey
                (signer.rootKey, signer.onlineKey) = (SigningKey(offset + 11), SigningKey(offset + 13))
                try signer.signRoot(alsoBy: [earlier])
                signer.releaseKey = SigningKey(offset + 12)
                try signer.signRoot()
                return signer.roots
            }
            try await body(roots, directory)
        }
    }
}

@Suite("A feed whose root the program has")
struct ShippedRootTests {
    /// An updater of the fixture's store with a root for the bundle.
    private func updater(_ fixture: TrustFixture, _ root: PublisherRoot) -> Updater {
        var configuration = Updater.Configuration()
        configuration.roots = [UpdaterFixture.name: root]
        let store = fixture.client.store
        return Updater(
            store,
            installer: Installer(store, formats: .zipAndTar),
            transport: fixture.client.network,
            configuration: configuration
        )
    }

    /// Why an update is refused; nil when it isn't.
    private func refusal(_ updater: Updater) async -> BundleError? {
        do {
            _ = try await updater.update(UpdaterFixture.name)
            return nil
        } catch {
            return error as? BundleError
        }
    }

    @Test("isn't taken without signatures, by an update, an installation or a repair", arguments: [true, false])
    func unsigned(isDigest: Bool) async throws {
        try await TrustFixture.using(isInstalled: false) { fixture in
            let root =
                try isDigest ? PublisherRoot(sha256: fixture.signer.anchor.hex) : PublisherRoot(fixture.signer.roots[0])
            let updater = updater(fixture, root)
            try fixture.client.install("0.9.0")
            for name in ["1.root.json", "timestamp.json"] { fixture.signer.withhold(name) }
            fixture.signer.serve("feed.json", try fixture.signer.directory.read("www/feed.json"))
            #expect(await refusal(updater)?.code == .untrusted)
            let feed = fixture.feed
            let error = await #expect(throws: BundleError.self) { _ = try await updater.install(feed: feed) }
            #expect(error?.code == .untrusted)
            #expect(fixture.client.page == "0.9.0")
            fixture.signer.serve("1.root.json", fixture.signer.roots[0])
            try fixture.signer.signOnline()
            _ = try await updater.install(feed: feed)
            #expect(fixture.client.page == "1.0.0")
            #expect(try fixture.anchor?.digest == fixture.signer.anchor)
            #expect(try fixture.anchor?.isPinned == false)
        }
    }

    @Test("of another publisher's root isn't taken, and what is installed stays", arguments: [true, false])
    func other(isDigest: Bool) async throws {
        try await TrustFixture.using { fixture in
            var other = try SigningPublisher(in: fixture.signer.directory, network: ScriptedTransport())
            (other.rootKey, other.onlineKey) = (SigningKey(21), SigningKey(23))
            try other.signRoot()
            let root = try isDigest ? PublisherRoot(sha256: other.anchor.hex) : PublisherRoot(other.roots[0])
            let updater = updater(fixture, root)
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            let error = await refusal(updater)
            #expect(error?.code == .untrusted)
            #expect(error?.remedy == .endTrust(UpdaterFixture.name))
            #expect(fixture.client.page == "1.0.0")
            #expect(try fixture.client.store.endTrust(of: UpdaterFixture.name))
            #expect(await refusal(updater)?.code == .untrusted)
            #expect(fixture.client.page == "1.0.0")
        }
    }

    @Test("follows the next root at once, also where the server doesn't have it any more")
    func next() async throws {
        try await TrustFixture.using { fixture in
            let earlier = fixture.signer.rootKey
            (fixture.signer.rootKey, fixture.signer.onlineKey) = (SigningKey(11), SigningKey(13))
            try fixture.signer.signRoot(alsoBy: [earlier])
            fixture.signer.withhold("2.root.json")
            fixture.signer.onlineVersion = 0
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.refusal() == .tooFewSignatures)
            #expect(await refusal(updater(fixture, try PublisherRoot(fixture.signer.roots[1]))) == nil)
            #expect(fixture.client.page == "1.1.0")
            #expect(try fixture.anchor?.digest == fixture.signer.anchor)
            #expect(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store)?.roles.first?.version == 2)
        }
    }

    @Test("has to lead to a later root, and not to another one of its version", arguments: [false, true])
    func later(isForked: Bool) async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.signRoot()
            var thief = fixture.signer
            thief.onlineKey = SigningKey(23)
            try thief.signRoot()
            fixture.signer.releaseKey = SigningKey(12)
            try fixture.signer.signRoot()
            let updater = updater(fixture, try PublisherRoot(fixture.signer.roots[2]))
            fixture.signer.withhold("3.root.json")
            if isForked { fixture.signer.serve("3.root.json", thief.roots[2]) }
            #expect((await refusal(updater)?.cause as? TrustError)?.code == (isForked ? .wrongAnchor : .missing))
            #expect(try TrustReport(of: UpdaterFixture.name, in: fixture.client.store)?.roles.first?.version == 2)
            #expect(fixture.client.page == "1.0.0")
            // By now it is the next one.
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await refusal(updater) == nil)
            #expect(fixture.client.page == "1.1.0")
        }
    }

    @Test("may have gone on to later roots")
    func earlier() async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.signRoot()
            try fixture.signer.signRoot()
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            for root in fixture.signer.roots {
                let updater = updater(fixture, try PublisherRoot(root))
                #expect(try await updater.check(UpdaterFixture.name).local == BundleVersion("1.1.0"))
            }
        }
    }
}

@Suite("For which releases a release key vouches")
struct SignedUpdateTests {
    private func signers(_ fixture: TrustFixture) throws -> [String: Digest] {
        let bundle = try fixture.client.store.bundle(UpdaterFixture.name)
        return bundle.releases.reduce(into: [:]) { $0[$1.version.string] = bundle.signature(of: $1)?.root }
    }

    @Test("for those that are installed from a signed feed")
    func installed() async throws {
        try await TrustFixture.using { fixture in
            let root = fixture.signer.anchor
            #expect(try signers(fixture) == ["1.0.0": root])
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            #expect(try signers(fixture) == ["1.0.0": root, "1.1.0": root])
        }
    }

    @Test("for one that was installed before, once a check finds its files signed")
    func before() async throws {
        try await TrustFixture.using { fixture in
            #expect(try fixture.client.store.endTrust(of: UpdaterFixture.name))
            #expect(try signers(fixture) == [:])
            try fixture.client.store.trust(UpdaterFixture.name, root: fixture.signer.roots[0], named: "root.json")
            #expect(try signers(fixture) == [:])
            _ = try await fixture.client.updater.check(UpdaterFixture.name)
            #expect(try signers(fixture) == ["1.0.0": fixture.signer.anchor])
        }
    }

    @Test("not for one with other files")
    func otherFiles() async throws {
        try await TrustFixture.using { fixture in
            try fixture.client.install("1.1.0")
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            _ = try await fixture.client.updater.check(UpdaterFixture.name)
            #expect(try signers(fixture) == ["1.0.0": fixture.signer.anchor])
            #expect(try fixture.client.store.bundle(UpdaterFixture.name).signedBy == nil)
        }
    }

    @Test(
        "and a release of a release key that was replaced isn't gone back to, unless the new key vouches for it",
        arguments: [(false, "1.1.0"), (true, "1.0.0")]
    )
    func disowned(_ isReplaced: Bool, _ expected: String) async throws {
        try await TrustFixture.using { fixture in
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            if isReplaced {
                fixture.signer.releaseKey = SigningKey(12)
                try fixture.signer.signRoot()
            }
            try fixture.signer.publisher.publish("1.2.0", DeliveryFixture.old)
            try fixture.signer.signRelease(fixture.signer.allTargets().filter { $0.version != "1.1.0" })
            try fixture.signer.signOnline()
            #expect(await fixture.client.failure() == nil)
            let store = fixture.client.store
            #expect(try store.bundle(UpdaterFixture.name).activeVersion?.string == "1.2.0")
            try store.rollBack(UpdaterFixture.name)
            #expect(try store.bundle(UpdaterFixture.name).activeVersion?.string == expected)
        }
    }

    @Test("but one that was shipped with an app is, though the new key doesn't vouch for it")
    func shipped() async throws {
        try await TrustFixture.using { fixture in
            let store = fixture.client.store
            try fixture.signer.publish("1.1.0", DeliveryFixture.new)
            #expect(await fixture.client.failure() == nil)
            try store.setSeed(UpdaterFixture.name, BundleVersion("1.1.0"))
            fixture.signer.releaseKey = SigningKey(12)
            try fixture.signer.signRoot()
            try fixture.signer.publisher.publish("1.2.0", DeliveryFixture.old)
            try fixture.signer.signRelease(fixture.signer.allTargets().filter { $0.version != "1.1.0" })
            try fixture.signer.signOnline()
            #expect(await fixture.client.failure() == nil)
            #expect(try store.bundle(UpdaterFixture.name).activeVersion?.string == "1.2.0")
            try store.rollBack(UpdaterFixture.name)
            #expect(try store.bundle(UpdaterFixture.name).activeVersion?.string == "1.1.0")
        }
    }
}
