import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// What the publisher's release key vouches for, of a feed that was verified. A value type; safe to share between threads.
struct FeedTrust: Sendable {
    /// SHA-256 of the root that the trust began with.
    let anchor: Digest
    /// What is trusted.
    let state: TrustedState
    /// What may be installed.
    let targets: TargetsContent
    /// What has to be kept for the feed to be trusted by this root from now on; nil when it is already.
    let pinning: TrustPinning?

    /// Identifies the release keys, which have signed what may be installed.
    var releaseKeys: Digest { state.root.targets.digest }

    /// Whether a release may be installed: the targets have its archive, by its name, its digest, and the release's name and version.
    func verdict(on entry: FeedEntry, of name: BundleName) -> ReleaseTrust {
        guard let target = targets.targets[ExactString(entry.source)] else {
            return .refused(reason: "its archive isn't among those that the release key has signed")
        }
        guard target.digest == entry.digest, target.file.byteCount.map(Int64.init) == entry.size else {
            return .refused(reason: "the release key has signed another archive of this name")
        }
        guard let digest = target.filesDigest else {
            return .refused(reason: "the release key hasn't signed which files it has")
        }
        guard target.text("name") == name.string, target.text("version") == entry.version.string else {
            return .refused(reason: "the release key has signed its archive as another release")
        }
        return .vouched(filesDigest: digest)
    }

    /// Has the feed of a bundle trusted by this root from now on, and by no other one. Nothing happens when it is already.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` when it is trusted by another one meanwhile.
    func pin(_ name: BundleName, in store: BundleStore) throws {
        guard let pinning else { return }
        try store.trust(name, by: anchor, isPinned: pinning.isFirstUse, pinning.documents)
    }
}

extension FeedTrust {
    /// What an operator has to know of a root that nobody has given; nil for another one.
    var firstUseWarning: String? {
        guard pinning?.isFirstUse == true else { return nil }
        return
            "the feed is signed, and trusted from now on by the root with SHA-256 \(anchor), which came with it; compare that with what "
            + "the publisher shows"
    }
}

/// What the release key says of an archive.
extension SignedTarget {
    /// SHA-256 of the archive; nil where that isn't signed.
    var digest: Digest? { file.sha256.flatMap { Digest(hex: $0.string) } }

    /// The digest that the release's files must have; nil where that isn't signed.
    var filesDigest: Digest? { text("contents").flatMap { Digest(hex: $0) } }

    /// A member of what is said besides, such as `name` and `version`; nil unless it is a string.
    func text(_ member: String) -> String? {
        guard case .object(let custom)? = custom, case .string(let text)? = custom[member] else { return nil }
        return text
    }
}

/// What begins the trust in a feed. A value type; safe to share between threads.
struct TrustPinning: Sendable {
    /// Whether nobody has given the root, and it is trusted because it is the first one.
    let isFirstUse: Bool
    /// The root, and what else is trusted by it.
    let documents: [TrustedDocument]
}

/// Whether the publisher's release key vouches for a release. A value type; safe to share between threads.
package enum ReleaseTrust: Equatable, Sendable {
    /// The feed needn't be signed.
    case notRequired
    /// It does, for files with this ``/BundleStore/Release/filesDigest()``.
    case vouched(filesDigest: Digest)
    /// It doesn't, and the release mustn't be installed; the reason in words.
    case refused(reason: String)

    /// Whether the release may be installed.
    var isSufficient: Bool { if case .refused = self { false } else { true } }

    /// The digest that the files must have; nil when nothing has to be signed.
    var filesDigest: Digest? { if case .vouched(let digest) = self { digest } else { nil } }
}
