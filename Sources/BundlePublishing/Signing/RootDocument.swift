import BundleModel
import BundleStore
import BundleTrust
import Foundation

/// Makes roots: which keys each role has.
enum RootDocument {
    /// What the first root says: each key is that of its roles, alone.
    static func first(_ keys: [KeyRole: PublishedKey], at now: Date) -> JSONValue {
        let known = KeyRole.allCases.compactMap { keys[$0] }
        let roles = KeyRole.allCases.flatMap { role in
            let names = keys[role].map { [ExactString($0.id)] } ?? []
            return role.documentRoles.map { ($0.text.string, JSONValue.members(MetadataDocument.role(names))) }
        }
        return .members(
            MetadataDocument.header(RootContent.type, version: 1, expiry: now + MetadataLife.release) + [
                ("consistent_snapshot", .bool(true)),
                ("keys", .members(known.map { ($0.id, $0.json) })),
                ("roles", .members(roles)),
            ]
        )
    }

    /// The next root, in which a role has another key. What else the latest one says stays.
    ///
    /// - Parameter replaced: The keys that the role doesn't have any more.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the versions are used up.
    static func next(
        _ roots: RootChain,
        replacing replaced: Set<PublicKey>,
        by key: PublishedKey,
        for role: KeyRole,
        at now: Date
    ) throws(BundleError) -> JSONValue {
        let authority = role.authority(in: roots.latest)
        let (names, isAlone) = (
            authority.keys.filter { replaced.contains($0.value) }.map(\.key), authority.threshold == 1
        )
        let (version, overflow) = roots.latest.version.addingReportingOverflow(1)
        guard !overflow else { throw BundleError(.invalidFeed, "the versions of the root are used up") }
        var root = try roots.signed()
        for (name, value) in MetadataDocument.header(
            RootContent.type,
            version: version,
            expiry: now + MetadataLife.release
        ) {
            root = root.setting(name, to: value)
        }
        let roles = role.documentRoles.reduce(root["roles"]) { roles, role in
            let authority = roles[role.text.string]
            // Where one signature is enough, a key whose file is elsewhere would stay good.
            let others = authority["keyids"].elements.filter { !names.map { .string($0.string) }.contains($0) }
            let kept = isAlone ? [] : others
            return roles.setting(
                role.text.string,
                to: authority.setting("keyids", to: .array(kept + [.string(key.id)]))
            )
        }
        let used = Set(roles.members.flatMap { $0.value["keyids"].elements.compactMap(\.text) })
        let keys = root["keys"].members.filter { used.contains(ExactString($0.key)) }.map { ($0.key, $0.value) }
        return root.setting("roles", to: roles).setting("keys", to: .members(keys).setting(key.id, to: key.json))
    }
}

extension RootChain {
    /// What the latest root says, with members that nobody here knows.
    fileprivate func signed() throws(BundleError) -> JSONValue {
        try JSONElement(
            parsing: documents.last ?? [],
            named: RoleName.root.documentName,
            maximumByteCount: TrustLimits.rootByteCount,
            refusedAs: .invalidFeed
        ).required("signed").value
    }
}

extension JSONValue {
    fileprivate var members: [JSONObject.Member] { if case .object(let object) = self { object.members } else { [] } }

    fileprivate var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    fileprivate var text: ExactString? { if case .string(let text) = self { ExactString(text) } else { nil } }

    fileprivate subscript(name: String) -> JSONValue {
        members.first { ExactString($0.key) == ExactString(name) }?.value ?? .null
    }

    /// The object with another value of a member, in its place or at the end.
    fileprivate func setting(_ name: String, to value: JSONValue) -> JSONValue {
        let isNew = !members.contains { ExactString($0.key) == ExactString(name) }
        let changed = members.map { ExactString($0.key) == ExactString(name) ? JSONObject.Member(name, value) : $0 }
        return .object(JSONObject(changed + (isNew ? [JSONObject.Member(name, value)] : [])))
    }
}

extension KeyRole {
    /// The roles at the top that the key signs for.
    var documentRoles: [RoleName] {
        switch self {
        case .root: [.root]
        case .release: [.targets]
        case .online: [.snapshot, .timestamp]
        }
    }

    /// Who may sign for it.
    func authority(in root: RootContent) -> RoleAuthority {
        switch self {
        case .root: root.root
        case .release: root.targets
        case .online: root.snapshot
        }
    }
}
