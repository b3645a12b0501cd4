extension BundleStore {
    /// Makes an installed version the active one. When it is lower than the one that was active, that one is held back:
    /// updates then take only versions higher than it.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - version: An installed version.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when the store doesn't hold it, `invalidArgument` when its publisher has
    ///   revoked it, `originConflict` when it claims URLs of another bundle that the currently served version doesn't claim,
    ///   `storeBusy` when another process works on the bundle and `waits` is false, `storeUnavailable` when the store
    ///   can't be written.
    public func activate(
        _ name: BundleName,
        _ version: BundleVersion,
        permittingOverlapWith permitted: Set<BundleName> = [],
        waits: Bool = false
    ) throws {
        try changing(name, waits: waits) { bundle in
            let release = try bundle.usable(version)
            let highest = try [bundle.activeVersion, heldVersion(of: name)].compactMap(\.self).max()
            let held = highest.flatMap { version < $0 ? $0 : nil }
            try catalog.releases.activate(release.record, at: now(), holding: held, permittingOverlapWith: permitted)
        }
    }

    /// Makes an installed version the active one, as the installation of an update does: the version that was left is
    /// not held back.
    ///
    /// - Parameter check: Called with the bundle as it is, while it is locked; what it throws leaves it so.
    /// - Throws: As ``activate(_:_:permittingOverlapWith:waits:)``, and what `check` throws.
    package func activateUpdate(
        _ name: BundleName,
        _ version: BundleVersion,
        waits: Bool,
        checking check: (InstalledBundle) throws -> Void = { _ in }
    ) throws {
        try changing(name, waits: waits) { bundle in
            try check(bundle)
            try catalog.releases.reactivate(bundle.existing(version).record, at: now(), permittingOverlapWith: [])
        }
    }

    /// Makes an earlier version active again, and holds back the one that is left: updates then take only versions
    /// higher than it. While the current version is damaged, the version that stands in for it becomes active.
    ///
    /// A version that was left so isn't returned to by a later rollback, until it is activated otherwise.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - target: The version to return to, lower than the active one; nil for the one that was active before.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Returns: The version that was left and the one that is active now.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no such bundle or `target`, `invalidArgument` when there
    ///   is no earlier version, or `target` isn't one, otherwise as ``activate(_:_:permittingOverlapWith:waits:)``.
    @discardableResult
    public func rollBack(
        _ name: BundleName,
        to target: BundleVersion? = nil,
        permittingOverlapWith permitted: Set<BundleName> = [],
        waits: Bool = false
    ) throws -> (from: BundleVersion?, to: BundleVersion) {
        try changing(name, waits: waits) { bundle in
            let left = bundle.activeVersion
            let destination = try target.map { try bundle.earlier($0) } ?? previous(in: bundle)
            try catalog.releases.activate(
                destination.record,
                at: now(),
                holding: [left, heldVersion(of: name)].compactMap(\.self).max(),
                leaving: [left].compactMap(\.self) + bundle.skipped(returningTo: destination),
                as: .rolledBack,
                permittingOverlapWith: permitted
            )
            return (left, destination.version)
        }
    }

    private func previous(in bundle: InstalledBundle) throws -> Release {
        if let release = bundle.previous { return release }
        let versions = bundle.retained.map(\.version).filter { !bundle.isRevoked($0) }
        let known = versions.map(\.string).joined(separator: ", ")
        throw BundleError(
            .invalidArgument,
            "bundle \(bundle.name) has no earlier version to roll back to"
                + (known.isEmpty ? "" : "; it was rolled back from \(known), which can be activated")
        )
    }

    private func heldVersion(of name: BundleName) throws -> BundleVersion? {
        try catalog.updateStates.state(of: name, now: now())?.heldVersion
    }

    /// Removes a version, or all versions of a bundle, including those that can't be opened. When an active version
    /// that can't be opened is removed, its stand-in becomes active. The space is freed by the next
    /// ``prune(keeping:of:sparing:waits:progress:)``.
    ///
    /// - Returns: The removed versions, as far as they are known.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no such bundle or version, `invalidArgument` when
    ///   it or one of them is pinned, or when `version` is the active one and others remain; otherwise as
    ///   ``activate(_:_:permittingOverlapWith:waits:)``.
    @discardableResult
    public func remove(_ name: BundleName, _ version: BundleVersion?, waits: Bool = false) throws -> [BundleVersion] {
        try changing(name, waits: waits) { bundle in
            let isReplaced = bundle.fallbackRelease != nil && bundle.activeVersion?.string == version?.string
            if let version, isReplaced || bundle.release(version) == nil && isDamaged(name, version) {
                if let release = bundle.damagedRelease(version) ?? bundle.release(version), release.isPinned {
                    throw bundle.refusal(removingPinned: version)
                }
                // Without an active version the bundle would no longer be served.
                if isReplaced, let fallbackRelease = bundle.fallbackRelease {
                    // It is already being served, so it claims nothing new.
                    let others = Set(snapshot.bundles.keys)
                    try catalog.releases.activate(
                        fallbackRelease.record,
                        at: now(),
                        holding: nil,
                        permittingOverlapWith: others
                    )
                }
                try catalog.releases.remove(name, version)
                return [version]
            }
            let removed = try version.map { [try bundle.existing($0)] } ?? bundle.releases
            if let active = bundle.active, removed.count < bundle.releases.count,
                removed.contains(where: { $0 === active })
            {
                throw bundle.refusal(removingActive: active.version)
            }
            if let pinned = (version == nil ? removed + bundle.damaged : removed).first(where: \.isPinned) {
                throw bundle.refusal(removingPinned: pinned.version)
            }
            guard version != nil else { return try catalog.releases.removeAll(of: name) }
            try catalog.releases.remove(removed.map(\.record))
            return removed.map(\.version)
        }
    }

    /// Whether a release can't be opened.
    private func isDamaged(_ name: BundleName, _ version: BundleVersion) -> Bool {
        snapshot.damage.contains { $0.bundle == name && $0.version?.string == version.string }
    }

    /// Runs `change` with the bundle locked and its latest state, then refreshes the store.
    func changing<Result>(
        _ name: BundleName,
        waits: Bool,
        _ change: (InstalledBundle) throws -> Result
    ) throws -> Result {
        try StoreAccess.run(at: path) {
            try StoreLock.changing(layout, bundle: name, waits: waits) {
                try refresh()
                let result = try change(bundle(name))
                try refresh()
                return result
            }
        }
    }
}

extension InstalledBundle {
    /// As ``existing(_:)``, for a release that is to become active by hand: nothing would be served of a revoked one.
    fileprivate func usable(_ version: BundleVersion) throws(BundleError) -> Release {
        let release = try existing(version)
        guard !isRevoked(version) else {
            throw BundleError(
                .invalidArgument,
                "\(name)@\(version) was revoked by its publisher, and nothing of it is used; choose another version"
            )
        }
        return release
    }

    fileprivate func isRevoked(_ version: BundleVersion) -> Bool { withdrawal(of: version)?.reason == .revoked }

    /// The release to roll back to.
    fileprivate func earlier(_ version: BundleVersion) throws(BundleError) -> Release {
        let release = try usable(version)
        if let activeVersion, version >= activeVersion {
            throw BundleError(
                .invalidArgument,
                "\(name)@\(version) isn't lower than \(activeVersion), which is active; activate it instead"
            )
        }
        return release
    }

    fileprivate func refusal(removingActive version: BundleVersion) -> BundleError {
        BundleError(
            .invalidArgument,
            "\(name)@\(version) is the active version; activate another first, or remove all of \(name)"
        )
    }

    fileprivate func refusal(removingPinned version: BundleVersion) -> BundleError {
        BundleError(.invalidArgument, "\(name)@\(version) is pinned", .unpin(name, version))
    }
}
