extension BundleStore {
    /// Makes an installed version the active one.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - version: An installed version.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the store doesn't hold it,
    ///   `originConflict` when it claims URLs of another bundle that the currently served version doesn't claim,
    ///   `storeBusy` when another process works on the bundle and `waits` is false, `storeUnavailable` when the store
    ///   can't be written.
    public func activate(
        _ name: BundleName,
        _ version: BundleVersion,
        permittingOverlapWith permitted: Set<BundleName> = [],
        waits: Bool = false
    ) throws {
        try changing(name, waits: waits) { bundle in
            let release = try bundle.existing(version)
            try catalog.activate(release.record, at: now(), holding: nil, permittingOverlapWith: permitted)
        }
    }

    /// Makes the previously active version active again, and holds the current one back: updates then take only
    /// versions higher than it. While the current version is damaged, the version that stands in for it becomes active.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - permitted: The bundles that its origins may overlap.
    ///   - waits: Whether to wait for another process that works on the bundle.
    /// - Returns: The version that was left and the one that is active now.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no such bundle or no earlier
    ///   version, otherwise as ``activate(_:_:permittingOverlapWith:waits:)``.
    @discardableResult
    public func rollBack(
        _ name: BundleName,
        permittingOverlapWith permitted: Set<BundleName> = [],
        waits: Bool = false
    ) throws -> (from: BundleVersion?, to: BundleVersion) {
        try changing(name, waits: waits) { bundle in
            guard let previous = bundle.standIn ?? bundle.retained.first else {
                throw BundleError(.invalidArgument, "bundle \(name) has no earlier version to roll back to")
            }
            let left = bundle.activeVersion
            try catalog.activate(previous.record, at: now(), holding: left, permittingOverlapWith: permitted)
            return (left, previous.version)
        }
    }

    /// Removes a version, or all versions of a bundle, including those that can't be opened. When an active version
    /// that can't be opened is removed, its stand-in becomes active. The space is freed by the next
    /// ``prune(keeping:of:sparing:waits:progress:)``.
    ///
    /// - Returns: The removed versions, as far as they are known.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when there is no such bundle or version, when
    ///   it or one of them is pinned, or when `version` is the active one and others remain; otherwise as
    ///   ``activate(_:_:permittingOverlapWith:waits:)``.
    @discardableResult
    public func remove(_ name: BundleName, _ version: BundleVersion?, waits: Bool = false) throws -> [BundleVersion] {
        try changing(name, waits: waits) { bundle in
            let isReplaced = bundle.standIn != nil && bundle.activeVersion?.string == version?.string
            if let version, isReplaced || bundle.release(version) == nil && isDamaged(name, version) {
                if let release = bundle.damagedRelease(version) ?? bundle.release(version), release.isPinned {
                    throw bundle.refusal(removingPinned: version)
                }
                // Without an active version the bundle would no longer be served.
                if isReplaced, let standIn = bundle.standIn {
                    // It is already being served, so it claims nothing new.
                    let others = Set(snapshot.bundles.keys)
                    try catalog.activate(standIn.record, at: now(), holding: nil, permittingOverlapWith: others)
                }
                try catalog.remove(name, version)
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
            guard version != nil else { return try catalog.removeAll(of: name) }
            try catalog.remove(removed.map(\.record))
            return removed.map(\.version)
        }
    }

    /// Whether a release can't be opened.
    private func isDamaged(_ name: BundleName, _ version: BundleVersion) -> Bool {
        snapshot.damage.contains { $0.bundle == name && $0.version?.string == version.string }
    }

    /// The state of a bundle's update checks, or nil when there is no such bundle.
    public func updateState(of name: BundleName) throws -> UpdateState? {
        try Self.accessing(path) { try catalog.updateState(of: name, now: now()) }
    }

    /// Records that a bundle's feed was requested now.
    ///
    /// - Parameters:
    ///   - name: The bundle.
    ///   - failure: Why the request failed, or nil when it succeeded.
    package func recordCheck(of name: BundleName, failure: String?) throws {
        try Self.accessing(path) { try catalog.recordCheck(of: name, at: now(), failure: failure) }
    }

    /// Runs `change` with the bundle locked and its latest state, then refreshes the store.
    func changing<Result>(
        _ name: BundleName,
        waits: Bool,
        _ change: (InstalledBundle) throws -> Result
    ) throws -> Result {
        try Self.accessing(path) {
            try StoreLock.changing(layout, bundle: name, waits: waits) {
                try refresh()
                let result = try change(bundle(name))
                try refresh()
                return result
            }
        }
    }
}

extension Release {
    /// The error for reading files of a release that couldn't be opened; nil when it could.
    package var openingError: BundleError? {
        openingDamage.map { $0.error }
    }
}

extension InstalledBundle {
    func existing(_ version: BundleVersion) throws(BundleError) -> Release {
        guard let release = release(version) else {
            if let damaged = damagedRelease(version)?.openingError { throw damaged }
            throw BundleError(
                .invalidArgument,
                "\(name)@\(version) is not installed; installed: \(installedText)"
            )
        }
        return release
    }

    /// As above, but also finds a release that can't be opened: for operations that need only the catalog.
    func known(_ version: BundleVersion) throws(BundleError) -> Release {
        if let release = damagedRelease(version) { return release }
        return try existing(version)
    }

    /// The versions as text for messages; damaged ones are marked.
    package var installedText: String {
        (releases.map(\.version.string) + damaged.map { "\($0.version) (damaged)" }).joined(separator: ", ")
    }

    /// The error for the active release when its row can't be read; nil when it can.
    package var damagedRowError: BundleError? { damagedRow?.error }

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
