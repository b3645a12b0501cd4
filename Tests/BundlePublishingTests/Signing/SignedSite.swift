import BundleInstall
import BundleStore
import BundleTesting
import BundleTrust
import BundleUpdate
import Foundation
import Synchronization

@testable import BundlePublishing

/// A publisher's folder with keys, and the folder of a web server, in a test's own folder.
struct SignedSite {
    static let start = Date(timeIntervalSince1970: 1_767_225_600)
    static let name = BundleName("shop")

    let directory: TemporaryDirectory
    private var now = SignedSite.start
    private var prefix: String

    /// Makes keys.
    ///
    /// - Parameters:
    ///   - prefix: What the paths of all files begin with.
    ///   - passphrase: Encrypts the keys.
    init(_ directory: TemporaryDirectory, below prefix: String = "", passphrase: [UInt8]? = nil) throws {
        self.directory = directory
        self.prefix = prefix
        try keys.initialize(passphrase: passphrase)
    }

    var keys: KeyFolder { KeyFolder(path(of: "keys"), now: { [now] in now }) }
    var folder: FeedFolder { FeedFolder(path(of: "www"), now: { [now] in now }) }

    /// The same some days later.
    func later(byDays count: Double) -> SignedSite {
        var later = self
        later.now += count * 86_400
        return later
    }

    /// A copy of the keys and of the feed's folder.
    func copy(below prefix: String) throws -> SignedSite {
        var copy = self
        copy.prefix = prefix
        try FileManager.default.createDirectory(atPath: copy.path(of: ""), withIntermediateDirectories: true)
        for folder in ["keys", "www"] {
            try FileManager.default.copyItem(atPath: path(of: folder), toPath: copy.path(of: folder))
        }
        return copy
    }

    /// The absolute path of a file.
    func path(of file: String) -> String { directory.path(of: prefix + file) }

    /// Puts another site's feed in the place of this one's.
    func replaceFeed(by other: SignedSite) throws {
        try? FileManager.default.removeItem(atPath: path(of: "www"))
        try FileManager.default.copyItem(atPath: other.path(of: "www"), toPath: path(of: "www"))
    }

    /// Forgets which version of the feed was signed last, which a publication that is interrupted doesn't keep.
    func forgetVersion() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: keys.path) where name.hasPrefix("feed-") {
            try FileManager.default.removeItem(atPath: "\(keys.path)/\(name)")
        }
    }

    /// When the feed's timestamp was signed.
    func signingTime() throws -> Date? {
        try RootChain(in: keys.path).flatMap { try SignedFeed(path(of: "www"), known: $0).signingTime }
    }

    /// The digest of a file of the feed's folder.
    func digest(of file: String) throws -> Digest { try Digest(ofFile: path(of: "www/\(file)")) }

    /// The keys of a folder.
    func signing(_ folder: KeyFolder? = nil) throws -> SigningKeys {
        try SigningKeys(folder ?? keys) { _ in [] }
    }

    /// A folder with some of the keys, and the first root.
    func keys(_ roles: KeyRole...) throws -> KeyFolder {
        let names = roles.map(\.rawValue)
        let path = path(of: names.joined(separator: "-"))
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for key in try keys.files() {
            let name = URL(fileURLWithPath: key.path).lastPathComponent
            guard names.contains(where: name.hasPrefix) else { continue }
            try FileManager.default.copyItem(atPath: key.path, toPath: "\(path)/\(name)")
        }
        try FileManager.default.copyItem(atPath: "\(keys.path)/1.root.json", toPath: "\(path)/1.root.json")
        return KeyFolder(path)
    }

    /// The archive of a release whose page has its version as content.
    func archive(_ version: BundleVersion) throws -> String {
        let manifest = #"{"name": "shop", "version": "\#(version)", "origins": []}"#
        let archive = ZipFixture([
            ZipFixtureEntry("bundle.json", Array(manifest.utf8)),
            ZipFixtureEntry("index.html", Array(version.string.utf8)),
        ])
        return try directory.write(archive.bytes, to: "\(prefix)in-\(version).zip")
    }

    /// Publishes that release.
    @discardableResult
    func publish(_ version: BundleVersion, signing keys: SigningKeys?) throws -> Publication {
        let draft = try ReleaseDraft(archive(version), options: InstallOptions())
        return try folder.publish(draft, fileExtension: "zip", patchCount: 0, signing: keys)
    }

    /// Publishes a release with all keys.
    @discardableResult
    func publish(_ version: BundleVersion) throws -> Publication { try publish(version, signing: signing()) }

    /// Changes the feed.
    @discardableResult
    func change(_ change: FeedChange, signing keys: SigningKeys?) throws -> FeedChangeReport {
        try folder.change(Self.name, change, signing: keys)
    }

    /// Copies the feed's folder to another one.
    ///
    /// - Parameter days: For how long the copy is signed; nil for as long as the feed.
    @discardableResult
    func mirror(
        _ place: String = "www",
        to folder: String = "stick",
        by anchor: FeedOrigin.Anchor? = nil,
        for days: Double? = nil
    ) async throws -> MirrorReport {
        let feed = URL(fileURLWithPath: path(of: "\(place)/feed.json"))
        return try await FeedMirror(FeedFolder(path(of: folder), now: { [now] in now })).copy(
            FeedOrigin(feed, over: ScriptedTransport(), Updater.Configuration()),
            by: anchor ?? .roots([directory.read("\(prefix)keys/1.root.json")]),
            signing: days.map { MirrorSigning(try signing(keys(.online)), for: $0 * 86_400) }
        )
    }

    /// A device that knows the first root alone.
    func device() throws -> FollowingDevice {
        try FollowingDevice(anchor: directory.read("\(prefix)keys/1.root.json"))
    }

    /// What the device may install after a check, by path.
    @discardableResult
    func follow(_ device: FollowingDevice, in folder: String = "www") async throws -> [String: SignedTarget] {
        try await device.follow(path(of: folder), at: now)
    }
}

extension KeyFolder {
    /// Replaces the keys of a role by one that is made.
    @discardableResult
    func rotate(
        _ role: KeyRole,
        feeds: [String],
        passphrase: @escaping (KeyFile) throws -> [UInt8],
        newPassphrase: (Bool) throws -> [UInt8]?
    ) throws -> [RotatedFeed] {
        try change(
            KeyChange(.replacing(.made), of: role),
            feeds: feeds,
            passphrase: passphrase,
            newPassphrase: newPassphrase
        )
    }
}

/// A device that follows a signed feed in a folder.
final class FollowingDevice {
    private final class Repository: MetadataRepository {
        let byteCounts = Mutex<[Int]>([])
        private let folder: String

        init(folder: String) {
            self.folder = folder
        }

        func document(_ request: MetadataRequest) -> [UInt8]? {
            let bytes = FileManager.default.contents(atPath: "\(folder)/\(request.fileName)").map(Array.init)
            byteCounts.withLock { $0.append(bytes?.count ?? 0) }
            return bytes
        }
    }

    /// One test uses it.
    private final class Keeper: MetadataKeeper, @unchecked Sendable {
        var documents: [RoleName: [UInt8]] = [:]

        func document(of role: RoleName) -> [UInt8]? { documents[role] }

        func keep(_ bytes: [UInt8], of role: RoleName, version: Int, dropping others: [RoleName]) {
            for role in others { documents[role] = nil }
            documents[role] = bytes
        }
    }

    private let keeper = Keeper()
    /// The bytes of each document that the last check asked for, 0 for one that isn't there.
    private(set) var byteCounts: [Int] = []

    init(anchor: [UInt8]) {
        keeper.documents[.root] = anchor
    }

    /// Checks for news, and returns the targets, once the feed is the one that is signed.
    func follow(_ folder: String, at now: Date) async throws -> [String: SignedTarget] {
        let repository = Repository(folder: folder)
        defer { byteCounts = repository.byteCounts.withLock { $0 } }
        var workflow = try TrustWorkflow(repository, keeper, at: now)
        try await workflow.refresh()
        guard let feed = try await workflow.target(TargetPath("feed.json")), feed.role == .feedFile else { return [:] }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/feed.json")))
        try feed.target.file.verify(bytes, named: "feed.json")
        let targets = workflow.state.targets?.targets ?? [:]
        return Dictionary(uniqueKeysWithValues: targets.map { ($0.key.string, $0.value) })
    }
}
