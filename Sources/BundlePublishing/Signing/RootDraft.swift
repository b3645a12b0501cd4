import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// The next root as long as signatures are missing. It is plain TUF, and may come from anybody: only what follows the latest root and
/// could be signed is taken, and what it changes is told before anybody signs it. A value type; safe to share between threads.
struct RootDraft: Sendable {
    /// The name in a folder of keys.
    static let fileName = "draft.root.json"

    /// What it says.
    let content: RootContent
    private let document: RootDocument
    private let latest: (content: RootContent, document: RootDocument)
    private let payload: [UInt8]
    /// Those of its own root keys, and of the root keys before them, that are good.
    private let signatures: [(name: ExactString, digits: String)]
    /// Who has signed, of the root keys before it, and of its own.
    private let signers: [Set<PublicKey>]

    /// Reads a draft.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when it isn't a root, doesn't follow the latest one, has expired, or
    ///   has a role for which too few keys are there.
    init(parsing bytes: [UInt8], after roots: RootChain, at now: Date) throws(BundleError) {
        let signed: SignedDocument
        do throws(TrustError) {
            signed = try SignedDocument(parsing: bytes, of: .root, atMost: TrustLimits.rootByteCount)
            content = try signed.content()
        } catch {
            throw Self.refused("\(error.problem); discard it", cause: error)
        }
        document = try RootDocument(parsing: bytes)
        latest = (roots.latest, try roots.latestDocument())
        payload = signed.payload
        guard content.version == latest.content.version + 1 else {
            throw Self.refused(
                "has version \(content.version), and the latest root here has \(latest.content.version); copy the roots between them here, "
                    + "or discard the draft"
            )
        }
        guard content.expiry > now else {
            throw Self.refused("has expired; discard the draft, and make the change again")
        }
        let signers = [latest.content.root, content.root].map { $0.signers(of: signed) }
        let names = Set(signers.flatMap(\.values))
        signatures = signed.signatures.filter { names.contains($0.keyName) }.map {
            ($0.keyName, Hexadecimal.string(of: $0.signature))
        }
        self.signers = signers.map { Set($0.keys) }
        for role in KeyRole.allCases { try checkKeys(of: role) }
    }

    /// A draft that nobody has signed.
    ///
    /// - Throws: As ``init(parsing:after:at:)``; ``/BundleModel/BundleError`` with code `invalidArgument` when a role's keys would be too few.
    init(_ document: RootDocument, after roots: RootChain, at now: Date) throws(BundleError) {
        try self.init(parsing: MetadataDocument.encoded(document.signed, []), after: roots, at: now)
    }

    private func checkKeys(of role: KeyRole) throws(BundleError) {
        for name in role.documentRoles {
            let authority = content.authority(of: name)
            let count = Set(authority.keys.values).count
            guard authority.threshold > count else { continue }
            throw BundleError(
                .invalidArgument,
                "the role \(role.rawValue) would have \(Self.counted(count)), and \(authority.threshold) must sign; add a key first, or "
                    + "lower the threshold"
            )
        }
    }

    fileprivate static func counted(_ count: Int) -> String { count == 1 ? "1 key" : "\(count) keys" }

    private static func refused(_ problem: String, cause: TrustError? = nil) -> BundleError {
        BundleError(.invalidFeed, "\(fileName): \(problem)", cause: cause)
    }
}

// MARK: - Signing

extension RootDraft {
    /// The document with the signatures so far.
    var bytes: [UInt8] { MetadataDocument.encoded(document.signed, signatures) }

    /// Whether devices take it.
    var isComplete: Bool { missing.isEmpty }

    /// Whether a root key from before has signed it, so that it isn't just anybody's.
    var isBegun: Bool { !signers[0].isEmpty }

    private var authorities: [RoleAuthority] { [latest.content.root, content.root] }

    /// The draft with signatures of as many keys of a folder as have to sign besides.
    ///
    /// - Returns: Nil when no key of the folder can add one.
    /// - Throws: As ``SigningKeys/signers(by:besides:atMost:)`` and ``DocumentSigner/signature(of:)``.
    func signed(by keys: SigningKeys, after roots: RootChain, at now: Date) throws -> RootDraft? {
        var new: [Signer] = []
        for (authority, signers) in zip(authorities, signers) {
            let others = signers.union(new.map(\.key.publicKey.key))
            let count = others.intersection(authority.keys.values).count
            new += try keys.signers(by: authority, besides: others, atMost: max(0, authority.threshold - count))
        }
        guard !new.isEmpty else { return nil }
        var signatures = signatures
        for signer in new { signatures.append((signer.name, try signer.key.signature(of: payload))) }
        return try RootDraft(
            parsing: MetadataDocument.encoded(document.signed, signatures),
            after: roots,
            at: now
        )
    }

    /// Has a key store sign what the draft says, so that a wrong command is found before anything is written. Nothing is kept of it.
    ///
    /// - Throws: As ``DocumentSigner/signature(of:)``.
    func check(_ key: any DocumentSigner) throws(BundleError) { _ = try key.signature(of: payload) }
}

// MARK: - In words

/// A draft for people. A value type; safe to share between threads.
package struct DraftOverview: Sendable {
    /// Signatures that are missing.
    package struct Missing: Sendable {
        /// Whether they are of the root keys that the draft brings; otherwise of those before it.
        package let isOfNewKeys: Bool
        /// How many.
        package let count: Int
        /// The keys that haven't signed, by their ids.
        package let keys: [String]
    }

    /// The root's version.
    package let version: Int
    /// When the root's life would be over.
    package let expiry: Date
    /// What it changes, each as a line.
    package let changes: [String]
    /// What has to be signed yet; empty once it is complete.
    package let missing: [Missing]
}

extension RootDraft {
    /// The draft for people.
    var overview: DraftOverview {
        DraftOverview(version: content.version, expiry: content.expiry, changes: changes, missing: missing)
    }

    private var missing: [DraftOverview.Missing] {
        let documents = [latest.document, document]
        return authorities.indices.compactMap { index in
            let (authority, signers) = (authorities[index], signers[index])
            guard signers.count < authority.threshold else { return nil }
            let keys = documents[index].keys(of: .root).filter { $0.key.map { !signers.contains($0.key) } ?? false }
            return DraftOverview.Missing(
                isOfNewKeys: index > 0,
                count: authority.threshold - signers.count,
                keys: keys.map(\.id)
            )
        }
    }

    private var changes: [String] {
        KeyRole.allCases.flatMap { role in
            let lists = role.documentRoles.map { changes(of: $0) }
            // The online key signs for two roles, which only a foreign tool would tell apart.
            guard Set(lists).count > 1 else { return (lists.first ?? []).map { "\(role.rawValue): \($0)" } }
            return zip(role.documentRoles, lists).flatMap { name, list in list.map { "\(name): \($0)" } }
        } + otherChanges
    }

    private func changes(of role: RoleName) -> [String] {
        let (old, new) = (latest.document.keys(of: role), document.keys(of: role))
        let (before, after) = (Set(old.map(\.id)), Set(new.map(\.id)))
        func text(_ key: RootKey) -> String { "the \(Printable.text(key.type)) key \(Printable.text(key.id))" }
        let thresholds = (latest.content.authority(of: role).threshold, content.authority(of: role).threshold)
        return new.filter { !before.contains($0.id) }.map { "adds \(text($0))" }
            + old.filter { !after.contains($0.id) }.map { "removes \(text($0))" }
            + (thresholds.0 == thresholds.1
                ? [] : ["\(Self.counted(thresholds.1)) must sign, where \(thresholds.0) did before"])
    }

    /// What no change of a role's keys makes.
    private var otherChanges: [String] {
        let known: Set<ExactString> = ["version", "expires", "spec_version", "keys"]
        let (old, new) = (latest.document.signed, document.signed)
        func names(_ value: JSONValue) -> [ExactString] { value.members.map { ExactString($0.key) } }
        let members = Set(names(old) + names(new)).subtracting(known).subtracting(["roles"])
            .filter { old[$0] != new[$0] }
        let roles = Set(names(old["roles"]) + names(new["roles"]))
            .filter {
                old["roles"][$0].without("keyids", "threshold") != new["roles"][$0].without("keyids", "threshold")
            }
        return (members.sorted() + roles.sorted().map { ExactString("roles.\($0)") }).map {
            "also changes “\(Printable.text($0.string))”"
        }
    }
}

extension JSONValue {
    fileprivate func without(_ names: ExactString...) -> [JSONObject.Member] {
        members.filter { !names.contains(ExactString($0.key)) }
    }
}
