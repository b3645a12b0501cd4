import Foundation

/// Where the documents of a repository come from: a server, or a folder.
package protocol MetadataRepository: Sendable {
    /// Fetches a document.
    ///
    /// - Returns: Its bytes, at most ``MetadataRequest/maximumByteCount``; nil when the repository says that it has no such document.
    /// - Throws: When neither is known.
    func document(_ request: MetadataRequest) async throws -> [UInt8]?
}

/// Where a device keeps the documents that it trusts, as they came.
package protocol MetadataKeeper: Sendable {
    /// The document that is kept of a role; nil for none.
    func document(of role: RoleName) throws -> [UInt8]?

    /// Keeps a document in place of an earlier one of its role, and drops those of other roles, all in one step. It is durable once this
    /// returns.
    ///
    /// - Parameter version: The document's version.
    func keep(_ bytes: [UInt8], of role: RoleName, version: Int, dropping others: [RoleName]) throws
}

extension TrustedState {
    /// Takes up the root, the timestamp and the snapshot that are kept, expired or not. A document that isn't signed by the root's keys any
    /// more counts for nothing.
    ///
    /// - Throws: ``TrustError`` when there is no root, or it isn't signed by its own keys; what `keeper` throws.
    package init(restoredFrom keeper: some MetadataKeeper) throws {
        guard let root = try keeper.document(of: .root) else {
            throw TrustError(.missing, RoleName.root.documentName, "isn't known to this device")
        }
        try self.init(anchor: root)
        if let timestamp = try keeper.document(of: .timestamp) { try? restoreTimestamp(timestamp) }
        if let snapshot = try keeper.document(of: .snapshot) { try? restoreSnapshot(snapshot) }
    }
}

/// The order in which a device asks for documents and keeps those that it trusts (specification 5.1 to 5.7). ``TrustedState`` decides; a
/// document that is kept and still right isn't fetched.
///
/// One task uses it.
package struct TrustWorkflow {
    /// What is trusted.
    package private(set) var state: TrustedState

    private let repository: any MetadataRepository
    private let keeper: any MetadataKeeper
    /// The time at which the update began (5.1), or at which the timestamp that is trusted was signed, if that is later: a clock that was
    /// set back, or that doesn't go on without power, brings no earlier state back.
    private var now: Date

    /// Takes up what is kept.
    ///
    /// - Parameters:
    ///   - repository: Where documents come from.
    ///   - keeper: Where they are kept. It has the root that is trusted because of where it comes from, or a later one.
    ///   - now: The time by the device's clock, as far as it has one.
    /// - Throws: ``TrustError`` when there is no root, or it isn't signed by its own keys; what `keeper` throws.
    package init(_ repository: any MetadataRepository, _ keeper: any MetadataKeeper, at now: Date) throws {
        (self.repository, self.keeper, self.now) = (repository, keeper, now)
        state = try TrustedState(restoredFrom: keeper)
    }

    /// Follows the roots, the timestamp, the snapshot and the targets. What was trusted on the way stays kept after an error.
    ///
    /// - Throws: ``TrustError``; what the repository and the keeper throw.
    package mutating func refresh() async throws {
        try await followRoots()
        // Not before: the time of a timestamp that was signed by stolen keys counts no more than the timestamp.
        now = max(now, state.timestamp?.signedAt ?? now)
        // 5.3.10: a root that has expired says nothing of the others.
        try state.root.checkExpiry(of: .root, at: now)
        let timestamp = try await fetch(state.timestampRequest)
        if try state.updateTimestamp(timestamp, at: now) {
            try keep(timestamp, of: .timestamp, state.timestamp?.version)
        }
        try await updateSnapshot()
        try await updateTargets()
    }

    /// Looks for a target, after ``refresh()``.
    ///
    /// - Returns: The target and the role that vouches for it; nil when none does.
    /// - Throws: As ``refresh()``.
    package func target(_ path: TargetPath) async throws -> (target: SignedTarget, role: RoleName)? {
        var search = try state.search(for: path, at: now)
        while case .needs(let request) = search.progress {
            // Verified by the delegator that leads to it now, and not by the one that vouched for it when it was kept.
            guard try !Self.takes(keeper.document(of: request.role), &search) else { continue }
            let bytes = try await fetch(request)
            try search.supply(bytes)
            try keep(bytes, of: request.role, request.version)
        }
        guard case .found(let target, let role) = search.progress else { return nil }
        return (target, role)
    }

    /// Whether a search goes on with a document that is kept.
    ///
    /// - Throws: ``TrustError`` when the document is right, and the next one can't be had.
    private static func takes(_ kept: [UInt8]?, _ search: inout TargetSearch) throws -> Bool {
        guard let kept else { return false }
        do throws(TrustError) {
            try search.supply(kept)
        } catch {
            guard error.code != .unlistedRole else { throw error }
            return false
        }
        return true
    }

    private mutating func followRoots() async throws {
        for _ in 0..<TrustLimits.rootRotationCount {
            guard let request = state.rootRequest, let root = try await repository.document(request) else { return }
            try state.updateRoot(root)
            // They must not come back with the next start (5.3.11).
            var dropped: [RoleName] = []
            if state.timestamp == nil { dropped.append(.timestamp) }
            if state.snapshot == nil { dropped.append(.snapshot) }
            try keep(root, of: .root, state.root.version, dropping: dropped)
        }
    }

    private mutating func updateSnapshot() async throws {
        if let kept = try keeper.document(of: .snapshot), (try? state.updateSnapshot(kept, at: now)) != nil { return }
        guard let request = state.snapshotRequest else { return }
        let snapshot = try await fetch(request)
        try state.updateSnapshot(snapshot, at: now)
        try keep(snapshot, of: .snapshot, state.snapshot?.version)
    }

    private mutating func updateTargets() async throws {
        if let kept = try keeper.document(of: .targets), (try? state.updateTargets(kept, at: now)) != nil { return }
        guard let request = state.targetsRequest else {
            throw TrustError(.unlistedRole, RoleName.targets.documentName, "isn't in the snapshot")
        }
        let targets = try await fetch(request)
        try state.updateTargets(targets, at: now)
        try keep(targets, of: .targets, state.targets?.version)
    }

    /// - Parameter version: That of the document, which is trusted by now.
    private func keep(_ bytes: [UInt8], of role: RoleName, _ version: Int?, dropping others: [RoleName] = []) throws {
        guard let version else { return }
        try keeper.keep(bytes, of: role, version: version, dropping: others)
    }

    private func fetch(_ request: MetadataRequest) async throws -> [UInt8] {
        guard let bytes = try await repository.document(request) else {
            throw TrustError(.missing, request.fileName, "isn't in the repository")
        }
        return bytes
    }
}
