import BundleModel
import Crypto
import Foundation

@testable import BundleTrust

/// A repository whose documents are made as a test wants them.
struct TestRepository {
    /// The time of the tests.
    static let now = Date(timeIntervalSince1970: 1_767_225_600)
    static let past = "2025-12-31T23:59:59Z"
    static let future = "2030-01-01T00:00:00Z"

    struct Role {
        var keys: [TestKey]
        var threshold = 1
        var version = 1
        var expiry = TestRepository.future

        init(_ keys: TestKey...) {
            self.keys = keys
        }

        /// The role as a member of `roles`.
        var json: String {
            let names = keys.map { "\"\($0.name)\"" }.joined(separator: ", ")
            return #"{"keyids": [\#(names)], "threshold": \#(threshold)}"#
        }

        func header(_ type: String) -> String {
            #""_type": "\#(type)", "spec_version": "1.0.34", "version": \#(version), "expires": "\#(expiry)""#
        }
    }

    /// A delegated role, with who delegates to it and how.
    struct Delegated {
        var name: String
        var delegator = "targets"
        var role: Role
        var paths = #""paths": ["*"]"#
        var isTerminating = false
        var targets: [String] = []

        var json: String {
            let rest = #""name": "\#(name)", "terminating": \#(isTerminating), \#(paths)"#
            return role.json.dropLast() + ", \(rest)}"
        }
    }

    var root = Role(.p256(1))
    var timestamp = Role(.ed25519(2))
    var snapshot = Role(.ed25519(3))
    var targets = Role(.p256(4))
    var delegated: [Delegated] = []
    /// Whether files have their version in their names.
    var isConsistent = true
    /// Whether the timestamp has the snapshot's length and hash, and the snapshot those of the documents with targets.
    var hasHashes = false
    /// The paths of the targets, whose content is their path.
    var files = ["shop.zip"]
    /// Documents that the snapshot lists besides, such as `"old.json": {"version": 1}`.
    var otherDocuments: [String] = []
    /// Keys that the root defines besides, such as `"a": {…}`.
    var otherKeys: [String] = []

    /// Signs what `signed` says with keys.
    static func document(_ signed: String, by keys: [TestKey]) throws -> [UInt8] {
        let payload = try CanonicalJSON.bytes(of: json(signed))
        let signatures = try keys.map { #"{"keyid": "\#($0.name)", "sig": "\#(try $0.sign(payload))"}"# }
        return document(signed, signatures: signatures)
    }

    static func document(_ signed: String, signatures: [String]) -> [UInt8] {
        Array(#"{"signatures": [\#(signatures.joined(separator: ", "))], "signed": \#(signed)}"#.utf8)
    }

    static func json(_ text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONElement(parsing: bytes, named: "t", maximumByteCount: .max, refusedAs: .invalidFeed).value
    }
}

// MARK: - Documents

extension TestRepository {
    /// - Parameter others: Keys that sign besides the role's own.
    func rootDocument(alsoBy others: [TestKey] = []) throws -> [UInt8] {
        try Self.document(signedRoot, by: root.keys + others)
    }

    var signedRoot: String {
        let roles = [root, timestamp, snapshot, targets]
        let keys = Set(roles.flatMap(\.keys)).sorted { $0.name < $1.name }.map { "\"\($0.name)\": \($0.json)" }
        let names = ["root", "timestamp", "snapshot", "targets"]
        let members = zip(names, roles).map { "\"\($0)\": \($1.json)" }.joined(separator: ", ")
        return """
            {\(root.header("root")), "consistent_snapshot": \(isConsistent), "unknown": {"é": [1, null]},
            "keys": {\((keys + otherKeys).joined(separator: ", "))}, "roles": {\(members)}}
            """
    }

    func timestampDocument() throws -> [UInt8] {
        try Self.document(signedTimestamp, by: timestamp.keys)
    }

    var signedTimestamp: String {
        get throws {
            let snapshot = try Self.listed("snapshot.json", snapshot.version, hasHashes ? snapshotDocument() : nil)
            return #"{\#(timestamp.header("timestamp")), "meta": {\#(snapshot)}}"#
        }
    }

    func snapshotDocument() throws -> [UInt8] {
        try Self.document(signedSnapshot, by: snapshot.keys)
    }

    var signedSnapshot: String {
        get throws {
            var names: Set<String> = []
            let documents = try delegated.filter { names.insert($0.name).inserted }.map {
                try Self.listed("\($0.name).json", $0.role.version, hasHashes ? delegatedDocument($0.name) : nil)
            }
            let targets = try Self.listed("targets.json", targets.version, hasHashes ? targetsDocument() : nil)
            let all = ([targets] + documents + otherDocuments).joined(separator: ", ")
            return #"{\#(snapshot.header("snapshot")), "meta": {\#(all)}}"#
        }
    }

    func targetsDocument() throws -> [UInt8] {
        try Self.document(signedTargets(targets, named: "targets", files), by: targets.keys)
    }

    /// The document of a delegated role, signed with the keys that its first delegation has.
    func delegatedDocument(_ name: String) throws -> [UInt8] {
        guard let own = delegated.first(where: { $0.name == name }) else { return [] }
        return try Self.document(signedTargets(own.role, named: name, own.targets), by: own.role.keys)
    }

    func signedTargets(_ role: Role, named name: String, _ files: [String]) -> String {
        let children = delegated.filter { $0.delegator == name }
        let keys = Set(children.flatMap(\.role.keys)).sorted { $0.name < $1.name }.map { "\"\($0.name)\": \($0.json)" }
        let delegations = """
            , "delegations": {"keys": {\(keys.joined(separator: ", "))},
            "roles": [\(children.map(\.json).joined(separator: ", "))]}
            """
        let targets = files.map { "\"\($0)\": \(Self.target($0))" }.joined(separator: ", ")
        return "{\(role.header("targets")), \"targets\": {\(targets)}\(children.isEmpty ? "" : delegations)}"
    }

    private static func target(_ content: String) -> String {
        let bytes = Array(content.utf8)
        return #"{"length": \#(bytes.count), "hashes": {"sha256": "\#(Digest(of: bytes))"}, "custom": {"a": 1}}"#
    }

    private static func listed(_ name: String, _ version: Int, _ bytes: [UInt8]?) -> String {
        let content = bytes.map { #", "length": \#($0.count), "hashes": {"sha256": "\#(Digest(of: $0))"}"# }
        return #""\#(name)": {"version": \#(version)\#(content ?? "")}"#
    }
}

// MARK: - States

extension TestRepository {
    /// A device that has just the root.
    func anchored() throws -> TrustedState { try TrustedState(anchor: rootDocument()) }

    /// A device that trusts all of this.
    func trusted() throws -> TrustedState {
        var state = try anchored()
        try update(&state)
        return state
    }

    /// What a device does in one update, without newer roots.
    func update(_ state: inout TrustedState) throws {
        guard try state.updateTimestamp(timestampDocument(), at: Self.now) else { return }
        try state.updateSnapshot(snapshotDocument(), at: Self.now)
        try state.updateTargets(targetsDocument(), at: Self.now)
    }

    /// Runs a search, and returns the roles that it asked for.
    func visits(_ search: inout TargetSearch) throws -> [String] {
        var visits: [String] = []
        while case .needs(let request) = search.progress {
            visits.append(request.role.text.string)
            try search.supply(delegatedDocument(request.role.text.string))
        }
        return visits
    }
}
