import Foundation

/// The search for a target through the delegations, in preorder (5.6.7). It asks for one role's document after the other, and
/// verifies each with the keys of the role that leads to it on this way. A value type that one thread uses.
package struct TargetSearch: Sendable {
    /// How far the search is.
    package enum Progress: Sendable {
        /// This document is needed; ``TargetSearch/supply(_:)`` takes it.
        case needs(MetadataRequest)
        /// The target, and the role that vouches for it.
        case found(SignedTarget, by: RoleName)
        /// No role vouches for the path, among those that were visited at most.
        case absent
    }

    /// How far the search is.
    package private(set) var progress: Progress = .absent
    /// The path that is looked for.
    package let path: TargetPath

    private let snapshot: SnapshotContent
    private let isConsistent: Bool
    private let now: Date
    private var visited: Set<RoleName> = []
    /// The bytes of the documents that were taken.
    private var byteCount = 0
    /// The delegations to follow, the next one last.
    private var pending: [Delegation] = []

    init(
        _ path: TargetPath,
        from targets: TargetsContent,
        in snapshot: SnapshotContent,
        isConsistent: Bool,
        at now: Date
    ) throws(TrustError) {
        self.path = path
        self.snapshot = snapshot
        self.isConsistent = isConsistent
        self.now = now
        try visit(targets, of: .targets)
    }

    /// Takes the document that is needed, and goes on.
    ///
    /// - Throws: ``TrustError`` when it isn't trusted, after which the same document is still needed; or when the next role isn't in
    ///   the snapshot, which ends the search without a target.
    package mutating func supply(_ bytes: [UInt8]) throws(TrustError) {
        guard case .needs = progress, let delegation = pending.last else { return }
        guard bytes.count <= TrustLimits.searchByteCount - byteCount else {
            let limit = TrustLimits.searchByteCount
            throw TrustError(.tooLarge, delegation.role.documentName, "and those before have more than \(limit) bytes")
        }
        let targets = try TrustedState.targets(
            bytes,
            of: delegation.role,
            by: delegation.authority,
            in: snapshot,
            at: now
        )
        byteCount += bytes.count
        pending.removeLast()
        visited.insert(delegation.role)
        try visit(targets, of: delegation.role)
    }

    private mutating func visit(_ targets: TargetsContent, of role: RoleName) throws(TrustError) {
        if let target = targets.targets[path.text] {
            progress = .found(target, by: role)
            return
        }
        let delegations = targets.delegations.filter { $0.covers(path) }
        if let end = delegations.firstIndex(where: \.isTerminating) {
            // What comes after it, here and above, isn't asked.
            pending = delegations[...end].reversed()
        } else {
            pending += delegations.reversed()
        }
        progress = .absent
        try requestNext()
    }

    private mutating func requestNext() throws(TrustError) {
        // A role that was visited on another way isn't asked again, so that cycles end.
        while let next = pending.last, visited.contains(next.role) { pending.removeLast() }
        guard let next = pending.last, visited.count < TrustLimits.visitedRoleCount else { return }
        let document = try snapshot.document(of: next.role)
        progress = .needs(
            .listed(
                next.role,
                document,
                isConsistentSnapshot: isConsistent,
                atMost: TrustLimits.targetsByteCount
            )
        )
    }
}
