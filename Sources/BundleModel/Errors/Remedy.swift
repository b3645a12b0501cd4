/// What puts a problem right, for programs that have a way of their own to offer it: an option, a button. The description says
/// it in the words of the library, and names no option.
///
/// New cases may be added: have a default where you switch over it. A value type; safe to share between threads.
public enum Remedy: Hashable, Sendable {
    /// What a repair is of.
    public enum RepairTarget: Hashable, Sendable {
        /// Contents, of which any sound copy will do.
        case content
        /// What takes the release's own archive.
        case release
        /// The row of a bundle, which its releases tell.
        case bundleRow
        /// The row of a release that doesn't say which one it is.
        case namelessRow
        /// What is in the catalog alone, and can be made again or dropped.
        case catalog
        /// A response that was kept, which is dropped.
        case response
    }

    /// A part of a program's configuration.
    public enum Setting: Hashable, Sendable, CaseIterable {
        /// Where the endpoint listens.
        case listenAddress
        /// Where operators are answered.
        case adminAddress
        /// The file of the access log.
        case accessLog
        /// The file with the certificate.
        case certificate
        /// The file with the certificate's private key.
        case certificateKey
    }

    /// Another process is working on the same: wait for it.
    case wait
    /// Say which digest the archive has.
    case giveDigest
    /// Install the release in place of what is there.
    case replaceRelease
    /// Permit the release to claim URLs of these bundles.
    case permitOverlap(with: [BundleName])
    /// Remove this version's pin.
    case unpin(BundleName, BundleVersion)

    /// Repair the store.
    case repair(RepairTarget)
    /// What is left when a repair hasn't helped.
    case replaceUnrepairable(RepairTarget)
    /// Repair the store before pruning again.
    case repairBeforePruning
    /// Verify the store.
    case verify
    /// Check the disk, then verify the store.
    case checkDisk
    /// The store is of an earlier format, and only its owner may convert it.
    case openAsOwner
    /// Give the files in the store's folder to the user with this number, whose the folder is.
    case restoreOwner(of: String, UInt32)
    /// Let this user read the store's files, or run as the user who has them.
    case permitReading
    /// Use a newer program.
    case updateProgram

    /// Free space on the disk.
    case freeSpace
    /// Free space in the folder of temporary files, which has no store to prune, or use another folder.
    case freeTemporarySpace(String)
    /// Raise the quota to this number of bytes, or give something up: what a rollback leads to is offered when that suffices.
    case raiseQuota(to: Int64, orGiveUp: String?)
    /// Set the quota again.
    case setQuota

    /// Give a feed for a bundle that has none.
    case nameFeed
    /// Accept a feed that is older than one seen, if its publisher has started it over.
    case acceptOlderFeed
    /// End the trust in the feed of a bundle, if its publisher has begun with another root.
    case endTrust(BundleName)
    /// Give what the manifest would say of an archive that has none.
    case giveManifest
    /// Don't give a name and a version that contradict the manifest.
    case omitNameAndVersion
    /// Name one of these encodings for an archive's names.
    case nameCharset([String])
    /// The one that was named isn't it: name one of these.
    case nameOtherCharset([String])

    /// Name the folder of the keys that sign a feed.
    case nameSigningKeys
    /// Name another folder for new keys, or replace one of those that are there.
    case replaceKey
    /// Make a new root in place of one that has expired.
    case renewRoot
    /// Sign the feed in a folder by the present keys, if nobody has done so since one was replaced; restore it otherwise.
    case signFeed(in: String)

    /// Write a manifest into the folder.
    case writeManifest
    /// Leave out what looks like a secret, or say that it is none.
    case leaveOutSecrets

    /// Let origins have addresses of this kind: loopback, private.
    case allowOriginNetwork(String)
    /// Trust the issuer of a server's certificate, such as an organisation's own authority.
    case trustIssuer
    /// Give the user and the password for the server of a feed, or correct them.
    case giveFeedCredential
    /// Log in to this registry of containers, as a user who may read it, or publish to it.
    case logIn(String)
    /// Correct the address of the proxy through which other hosts are reached.
    case correctProxy
    /// Give the proxy's user and password.
    case giveProxyCredential
    /// Have the proxy permit the host, or reach it without the proxy.
    case bypassProxy
    /// Give an access key for a bucket, or one that permits more.
    case giveBucketCredentials
    /// Name the region of a bucket, which its server may have said.
    case nameBucketRegion(String?)
    /// The server of a bucket can't keep two publishers apart: permit that, if nobody else publishes there.
    case permitUnsafeConcurrency
    /// Change a setting; the text says to what, as an imperative.
    case change(Setting, String)
}

extension Remedy {
    /// The same after a repair was tried: what was tried isn't advised again.
    package var afterRepair: Remedy {
        if case .repair(let target) = self { .replaceUnrepairable(target) } else { self }
    }
}

extension Remedy: CustomStringConvertible {
    /// What to do, in the words of the library.
    public var description: String {
        switch self {
        case .wait: "try again later"
        case .giveDigest: "give its SHA-256"
        case .replaceRelease: "raise the version, or have it replaced"
        case .permitOverlap(let names):
            "correct the origins, or, if they are meant to share them, permit the overlap with \(Self.list(names))"
        case .unpin(let name, let version): "unpin \(name)@\(version) first"
        case .repair(let target): target.advice
        case .replaceUnrepairable(let target): target.adviceAfterRepair
        case .repairBeforePruning: "repair the store, remove what that can't repair, and prune again"
        case .verify: "verify the store"
        case .checkDisk: "check it and the system's log, then verify the store"
        case .openAsOwner: "open it once as its owner to convert it"
        case .restoreOwner(let folder, let user): "give all files in \(folder) to its owner, user \(user)"
        case .permitReading: "give this user the right to read it, or run as its owner"
        case .updateProgram: "update this program"
        case .freeSpace: "free some space, or prune the store, and try again"
        case .freeTemporarySpace(let folder):
            "free some space in \(folder), or use another folder for temporary files, and try again"
        case .raiseQuota(let byteCount, let version):
            (version.map { "there is room without \($0), to which a rollback leads: give it up, or " } ?? "")
                + "raise the quota to \(ByteCount.roundedUp(byteCount)), or remove or unpin versions"
        case .setQuota: "set it again"
        case .nameFeed: "name one in its manifest, or for the update"
        case .acceptOlderFeed: "if its publisher has started it over, accept it once; otherwise correct the server"
        case .endTrust(let name):
            "if the publisher of \(name) has begun with a new root, end the trust in the feed; otherwise correct the server"
        case .giveManifest: "add one, or give the release's name, version and origins"
        case .omitNameAndVersion: "leave out the name and the version"
        case .nameCharset(let charsets):
            "name its encoding (\(charsets.joined(separator: ", "))), or repack it with UTF-8 names"
        case .nameOtherCharset(let charsets):
            "try another encoding (\(charsets.joined(separator: ", "))), or repack it with UTF-8 names"
        case .nameSigningKeys: "name the folder of its keys"
        case .replaceKey: "name another folder, or replace a key"
        case .renewRoot: "replace the root key, which makes a new root"
        case .signFeed(let folder):
            "if \(folder) hasn't been signed since, sign it by the present keys; otherwise restore it from a backup"
        case .writeManifest: "write one"
        case .leaveOutSecrets: "exclude what is one, and include what is meant to be public"
        case .allowOriginNetwork(let network): "correct the origin, or allow origins at \(network) addresses"
        case .trustIssuer: "check the address, or have the issuer's certificate trusted"
        case .giveFeedCredential: "give the server's user and password, or correct them"
        case .logIn(let registry): "log in to \(registry) as a user who may do that"
        case .correctProxy: "check the address of the proxy"
        case .giveProxyCredential: "give the user and the password for the proxy"
        case .bypassProxy: "have the proxy permit the host, or reach the host without it"
        case .giveBucketCredentials: "give an access key that permits it, or correct it"
        case .nameBucketRegion(let region): "name the bucket's region" + (region.map { ", \($0)" } ?? "")
        case .permitUnsafeConcurrency:
            "publish to another server, or permit it if nobody else publishes there at the same time"
        case .change(_, let advice): advice
        }
    }

    private static func list(_ names: [BundleName]) -> String { names.map(\.string).joined(separator: ", ") }
}

extension Remedy.RepairTarget {
    fileprivate var advice: String {
        switch self {
        case .content: "repair the store, or reinstall the bundle"
        case .release: "repair the store, if need be from the release's archive, or reinstall it"
        case .bundleRow, .catalog: "repair the store"
        case .namelessRow: "a repair finds that out, or drops it"
        case .response: "a repair drops it"
        }
    }

    fileprivate var adviceAfterRepair: String {
        let archive = "install its archive again, or repair the store from that; or remove the version"
        return switch self {
        case .content: "no place that was tried has the right bytes: \(archive)"
        case .release: "no place that was tried has this release: \(archive)"
        case .bundleRow: "none of its releases can be read: install one of them again, or remove the bundle"
        case .namelessRow, .catalog, .response: "another program changes the catalog: end that, and repair it again"
        }
    }
}
