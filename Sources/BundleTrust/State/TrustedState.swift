import BundleModel
import Foundation

/// What is trusted of a repository, in the order of the specification's workflow (5.2 to 5.6): bytes come in, and the state follows
/// from them or an error is thrown, after which it is as before. It knows no file, no network and no clock.
///
/// `init` takes the root that is trusted already, ``restoreTimestamp(_:)`` and ``restoreSnapshot(_:)`` what was trusted last, so
/// that nothing goes back. Then come the roots that have been published since, the timestamp, the snapshot and the targets; and
/// ``search(for:at:)`` finds a target. Documents that were kept may be given again in place of fetching them: they pass the same
/// checks. A value type; safe to share between threads.
package struct TrustedState: Sendable {
    /// The latest root.
    package private(set) var root: RootContent
    /// The latest timestamp, or the one that was trusted last.
    package private(set) var timestamp: TimestampContent?
    /// The latest snapshot, or the one that was trusted last: ``isSnapshotCurrent`` tells which.
    package private(set) var snapshot: SnapshotContent?
    /// Whether the snapshot is the one that the timestamp lists.
    package private(set) var isSnapshotCurrent = false
    /// The targets of the current snapshot.
    package private(set) var targets: TargetsContent?

    /// Begins with a root that is trusted because of where it comes from, and checks only that it is signed by its own keys (5.2).
    /// It may have expired.
    ///
    /// - Parameter digest: The digest that the root must have, if the root comes from elsewhere than the trust in it.
    /// - Throws: ``TrustError``.
    package init(anchor bytes: [UInt8], digest: Digest? = nil) throws(TrustError) {
        if let digest, case let found = Digest(of: bytes), found != digest {
            throw TrustError(.wrongAnchor, RoleName.root.documentName, "has SHA-256 \(found), and not \(digest)")
        }
        let document = try SignedDocument(parsing: bytes, of: .root, atMost: TrustLimits.rootByteCount)
        root = try document.content()
        try root.root.verify(document)
    }
}

// MARK: - Root (5.3)

extension TrustedState {
    /// The root that is asked for next, until there is none, or ``TrustLimits/rootRotationCount`` have been followed.
    package var rootRequest: MetadataRequest? {
        root.version < .max ? .root(version: root.version + 1) : nil
    }

    /// Takes the next root, signed by enough keys of the one before and of its own. It may have expired: only the last one may not.
    ///
    /// - Throws: ``TrustError``; a root of any other version than the next is `wrongVersion`, or `rollback` when it is older.
    package mutating func updateRoot(_ bytes: [UInt8]) throws(TrustError) {
        let document = try SignedDocument(parsing: bytes, of: .root, atMost: TrustLimits.rootByteCount)
        // 5.3.4
        try root.root.verify(document)
        let next: RootContent = try document.content()
        try next.root.verify(document)
        // 5.3.5. Both are at least 1.
        guard next.version - 1 == root.version else {
            let code: TrustError.Code = next.version <= root.version ? .rollback : .wrongVersion
            throw document.refused(code, "has version \(next.version) after version \(root.version)")
        }
        // 5.3.11: after a fast-forward attack their versions have to begin again.
        if next.timestamp != root.timestamp || next.snapshot != root.snapshot {
            timestamp = nil
            snapshot = nil
        }
        root = next
        isSnapshotCurrent = false
        // They are given again, and verified with the keys of this root.
        targets = nil
    }
}

// MARK: - Timestamp (5.4)

extension TrustedState {
    /// The timestamp that is asked for.
    package var timestampRequest: MetadataRequest { .timestamp }

    /// Takes the timestamp that was trusted last, before any newer root. It may have expired: nothing may be older than it says.
    ///
    /// - Throws: ``TrustError``, among others when the root's keys have changed since: it counts for nothing then.
    package mutating func restoreTimestamp(_ bytes: [UInt8]) throws(TrustError) {
        guard timestamp == nil else { throw Self.outOfOrder(.timestamp, "is trusted already") }
        timestamp = try signedTimestamp(bytes)
    }

    /// Takes the latest timestamp.
    ///
    /// One of the version that is trusted already takes its place once that has expired, which 5.4.3.1 doesn't provide for: the copy of a
    /// feed on a stick has the versions of the feed, and a longer life. Nobody can use that who doesn't have the key, and who has it can
    /// raise the version too.
    ///
    /// - Returns: False when the timestamp that is trusted already remains, since it is of the same version (5.4.3).
    /// - Throws: ``TrustError``; with `expired` also for the root, or for the timestamp that remains.
    package mutating func updateTimestamp(_ bytes: [UInt8], at now: Date) throws(TrustError) -> Bool {
        // 5.3.10
        try root.checkExpiry(of: .root, at: now)
        let new = try signedTimestamp(bytes)
        if let timestamp {
            try checkRollback(of: RoleName.timestamp.documentName, from: timestamp.version, to: new.version)
            if new.version == timestamp.version, timestamp.expiry > now || new.expiry <= now {
                try timestamp.checkExpiry(of: .timestamp, at: now)
                return false
            }
            try checkRollback(
                of: RoleName.snapshot.documentName,
                from: timestamp.snapshot.version,
                to: new.snapshot.version
            )
        }
        // 5.4.4
        try new.checkExpiry(of: .timestamp, at: now)
        timestamp = new
        isSnapshotCurrent = false
        targets = nil
        return true
    }

    private func signedTimestamp(_ bytes: [UInt8]) throws(TrustError) -> TimestampContent {
        let document = try SignedDocument(parsing: bytes, of: .timestamp, atMost: TrustLimits.timestampByteCount)
        try root.timestamp.verify(document)
        return try document.content()
    }
}

// MARK: - Snapshot (5.5)

extension TrustedState {
    /// The snapshot that the timestamp lists; nil without a timestamp.
    package var snapshotRequest: MetadataRequest? {
        timestamp.map {
            .listed(
                .snapshot,
                $0.snapshot,
                isConsistentSnapshot: root.isConsistentSnapshot,
                atMost: TrustLimits.snapshotByteCount
            )
        }
    }

    /// Takes the snapshot that was trusted last, which may have expired, and needn't be the one that the timestamp lists.
    ///
    /// - Throws: As ``restoreTimestamp(_:)``.
    package mutating func restoreSnapshot(_ bytes: [UInt8]) throws(TrustError) {
        guard snapshot == nil else { throw Self.outOfOrder(.snapshot, "is trusted already") }
        snapshot = try signedSnapshot(bytes)
    }

    /// Takes the snapshot that the timestamp lists.
    ///
    /// - Throws: ``TrustError``.
    package mutating func updateSnapshot(_ bytes: [UInt8], at now: Date) throws(TrustError) {
        guard let timestamp else { throw Self.outOfOrder(.timestamp, "isn't trusted yet") }
        try timestamp.checkExpiry(of: .timestamp, at: now)
        // 5.5.2
        try timestamp.snapshot.content.verify(bytes, named: RoleName.snapshot.documentName)
        // 5.5.3
        let new = try signedSnapshot(bytes)
        // 5.5.4
        try Self.checkVersion(of: .snapshot, new.version, listed: timestamp.snapshot)
        // 5.5.5
        for (name, document) in snapshot?.documents ?? [:] {
            guard let next = new.documents[name] else {
                throw TrustError(.rollback, name.string, "is missing in the new snapshot")
            }
            try checkRollback(of: name.string, from: document.version, to: next.version)
        }
        // 5.5.6
        try new.checkExpiry(of: .snapshot, at: now)
        snapshot = new
        isSnapshotCurrent = true
        targets = nil
    }

    private func signedSnapshot(_ bytes: [UInt8]) throws(TrustError) -> SnapshotContent {
        let document = try SignedDocument(parsing: bytes, of: .snapshot, atMost: TrustLimits.snapshotByteCount)
        try root.snapshot.verify(document)
        return try document.content()
    }

    private func checkRollback(of name: String, from trusted: Int, to version: Int) throws(TrustError) {
        guard version >= trusted else {
            throw TrustError(.rollback, name, "has version \(version) after version \(trusted)")
        }
    }
}

// MARK: - Targets (5.6)

extension TrustedState {
    /// The targets that the snapshot lists; nil without a current snapshot that lists them.
    package var targetsRequest: MetadataRequest? {
        guard isSnapshotCurrent, let document = try? snapshot?.document(of: .targets) else { return nil }
        return .listed(
            .targets,
            document,
            isConsistentSnapshot: root.isConsistentSnapshot,
            atMost: TrustLimits.targetsByteCount
        )
    }

    /// Takes the targets that the snapshot lists.
    ///
    /// - Throws: ``TrustError``.
    package mutating func updateTargets(_ bytes: [UInt8], at now: Date) throws(TrustError) {
        let snapshot = try currentSnapshot(at: now)
        targets = try Self.targets(bytes, of: .targets, by: root.targets, in: snapshot, at: now)
    }

    /// A search for a target, which asks for the delegated roles that lead to it.
    ///
    /// - Parameter now: The time at which the update began (5.1), also for the delegated roles.
    /// - Throws: ``TrustError`` with `outOfOrder` without targets, and `expired`.
    package func search(for path: TargetPath, at now: Date) throws(TrustError) -> TargetSearch {
        let snapshot = try currentSnapshot(at: now)
        guard let targets else { throw Self.outOfOrder(.targets, "isn't trusted yet") }
        try targets.checkExpiry(of: .targets, at: now)
        return try TargetSearch(path, from: targets, in: snapshot, isConsistent: root.isConsistentSnapshot, at: now)
    }

    /// What a delegated role that the targets lead to says, among the documents that the snapshot lists.
    ///
    /// - Throws: As ``updateTargets(_:at:)``.
    package func targets(
        _ bytes: [UInt8],
        of delegation: Delegation,
        at now: Date
    ) throws(TrustError) -> TargetsContent {
        let snapshot = try currentSnapshot(at: now)
        return try Self.targets(bytes, of: delegation.role, by: delegation.authority, in: snapshot, at: now)
    }

    /// Verifies a document with targets, with the keys of the role that leads to it.
    static func targets(
        _ bytes: [UInt8],
        of role: RoleName,
        by authority: RoleAuthority,
        in snapshot: SnapshotContent,
        at now: Date
    ) throws(TrustError) -> TargetsContent {
        let listed = try snapshot.document(of: role)
        // 5.6.2
        try listed.content.verify(bytes, named: role.documentName)
        // 5.6.3
        let document = try SignedDocument(parsing: bytes, of: role, atMost: TrustLimits.targetsByteCount)
        try authority.verify(document)
        let new: TargetsContent = try document.content()
        // 5.6.4
        try checkVersion(of: role, new.version, listed: listed)
        // 5.6.5
        try new.checkExpiry(of: role, at: now)
        return new
    }

    private func currentSnapshot(at now: Date) throws(TrustError) -> SnapshotContent {
        guard isSnapshotCurrent, let snapshot, let timestamp else {
            throw Self.outOfOrder(.snapshot, "isn't trusted yet")
        }
        try timestamp.checkExpiry(of: .timestamp, at: now)
        try snapshot.checkExpiry(of: .snapshot, at: now)
        return snapshot
    }

    private static func checkVersion(
        of role: RoleName,
        _ version: Int,
        listed: ListedDocument
    ) throws(TrustError) {
        guard version == listed.version else {
            throw TrustError(.wrongVersion, role.documentName, "has version \(version); \(listed.version) is listed")
        }
    }

    private static func outOfOrder(_ role: RoleName, _ problem: String) -> TrustError {
        TrustError(.outOfOrder, role.documentName, problem)
    }
}
