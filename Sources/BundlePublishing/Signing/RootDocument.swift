import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// A change of the keys that a role has.
struct RootChange: Sendable {
    let role: KeyRole
    /// The keys that it doesn't have any more, by ``RootKey/id``.
    var dropped: Set<String> = []
    /// The key that it has besides.
    var added: PublishedKey?
    /// How many of its keys have to sign; nil to leave it.
    var threshold: Int?
}

/// A key as a root has it. A value type; safe to share between threads.
struct RootKey: Sendable {
    /// The name in the root.
    let name: ExactString
    /// The definition in the root.
    let json: JSONValue

    /// The key; nil for one of a kind that can't be used here.
    var key: PublishedKey? {
        json["keyval"]["public"].text.flatMap { text in
            PublishedKey(type: type, scheme: json["scheme"].text?.string ?? "", text.string)
        }
    }

    /// The kind, such as `ed25519`.
    var type: String { json["keytype"].text?.string ?? "unknown" }

    /// By what people tell the key from others, whichever name the root gives it.
    var id: String { key?.id ?? name.string }
}

/// What a root says, with members that nobody here knows. A value type; safe to share between threads.
struct RootDocument: Sendable {
    /// What is signed.
    let signed: JSONValue

    /// What the first root says: each key is that of its roles, alone.
    init(first keys: [KeyRole: PublishedKey], at now: Date) {
        let known = KeyRole.allCases.compactMap { keys[$0] }
        let roles = KeyRole.allCases.flatMap { role in
            let names = keys[role].map { [ExactString($0.id)] } ?? []
            return role.documentRoles.map { ($0.text.string, JSONValue.members(MetadataDocument.role(names))) }
        }
        signed = .members(
            MetadataDocument.header(RootContent.type, version: 1, expiry: now + SignatureLife.offline) + [
                ("consistent_snapshot", .bool(true)),
                ("keys", .members(known.map { ($0.id, $0.json) })),
                ("roles", .members(roles)),
            ]
        )
    }

    /// What a document says that was read before.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when it isn't JSON, or has nothing that is signed.
    init(parsing bytes: [UInt8]) throws(BundleError) {
        signed = try JSONElement(
            parsing: bytes,
            named: RoleName.root.documentName,
            maximumByteCount: TrustLimits.rootByteCount,
            refusedAs: .invalidFeed
        ).required("signed").value
    }

    private init(_ signed: JSONValue) { self.signed = signed }

    /// The version; nil without one.
    var version: Int? { if case .number(let number) = signed["version"] { number.int64.map(Int.init) } else { nil } }

    /// The keys of a role, in the order in which they are written.
    func keys(of role: RoleName) -> [RootKey] {
        signed["roles"][role.text]["keyids"].elements.compactMap(\.text).map {
            RootKey(name: $0, json: signed["keys"][$0])
        }
    }

    /// The next root. What else this one says stays.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the versions are used up.
    func next(_ change: RootChange, after latest: RootContent, at now: Date) throws(BundleError) -> RootDocument {
        let (version, overflow) = latest.version.addingReportingOverflow(1)
        guard !overflow else { throw BundleError(.invalidFeed, "the versions of the root are used up") }
        let header = MetadataDocument.header(RootContent.type, version: version, expiry: now + SignatureLife.offline)
        let root = header.reduce(signed) { $0.setting(ExactString($1.0), to: $1.1) }
        let added = change.added.map { [JSONValue.string($0.id)] } ?? []
        let roles = change.role.documentRoles.reduce(root["roles"]) { roles, role in
            let kept = keys(of: role).filter { !change.dropped.contains($0.id) }.map {
                JSONValue.string($0.name.string)
            }
            let authority = roles[role.text].setting("keyids", to: .array(kept + added))
            return roles.setting(
                role.text,
                to: change.threshold.map { authority.setting("threshold", to: .integer($0)) } ?? authority
            )
        }
        let used = Set(roles.members.flatMap { $0.value["keyids"].elements.compactMap(\.text) })
        let known = root["keys"].members.filter { used.contains(ExactString($0.key)) }.map { ($0.key, $0.value) }
        let definitions = change.added.map { JSONValue.members(known).setting(ExactString($0.id), to: $0.json) }
        return RootDocument(root.setting("roles", to: roles).setting("keys", to: definitions ?? .members(known)))
    }
}

extension RootChain {
    /// What the latest root says.
    ///
    /// - Throws: As ``RootDocument/init(parsing:)``.
    func latestDocument() throws(BundleError) -> RootDocument { try RootDocument(parsing: documents.last ?? []) }
}
