import Synchronization

/// The journal: what was checked, chosen, fetched, installed and activated, and what was left again and why.
extension BundleStore {
    /// What has happened to a bundle, or to all bundles, the oldest first. It survives restarts, and goes with the bundle.
    /// The latest 200 events of each bundle are kept, of them 50 failures, and the latest 2,000 of all. A check or a choice that
    /// repeats the last one of its kind isn't recorded again, and neither is a failure before something has succeeded.
    ///
    /// - Parameter name: The bundle; nil for all.
    /// - Throws: ``/BundleModel/BundleError`` with code `notFound` when there is no such bundle,
    ///   `storeUnavailable` or `storeDamaged` when the store can't be read.
    public func history(of name: BundleName? = nil) throws -> [UpdateEvent] {
        if let name { _ = try bundle(name) }
        return try StoreAccess.run(at: path) { try catalog.history.events(of: name) }
    }

    /// The latest events of all bundles, the latest first.
    ///
    /// - Parameter count: How many at most.
    package func latestEvents(_ count: Int) throws -> [UpdateEvent] {
        try StoreAccess.run(at: path) { try catalog.history.latestEvents(count) }
    }

    /// The last event of a kind; nil when none is kept.
    ///
    /// - Parameter version: Its version; nil for any.
    package func lastEvent(
        _ kind: UpdateEvent.Kind,
        of name: BundleName,
        _ version: BundleVersion? = nil
    ) throws -> UpdateEvent? {
        try StoreAccess.run(at: path) { try catalog.history.lastEvent(kind, of: name, version) }
    }

    /// The number of the last event; 0 when none is kept. It differs from an earlier one when any process has recorded an
    /// event since.
    package func lastEventNumber() throws -> Int64 {
        try StoreAccess.run(at: path) { try catalog.history.lastNumber() }
    }

    /// The events of all bundles that are later than one, the oldest first.
    ///
    /// - Parameter number: The number of that event; 0 for all that are kept.
    package func events(after number: Int64) throws -> [UpdateEvent] {
        try StoreAccess.run(at: path) { try catalog.history.events(of: nil, after: number) }
    }

    /// The versions that were marked bad, and neither confirmed nor activated since, as far as the journal still tells.
    package func badVersions() throws -> [BundleName: Set<String>] {
        try StoreAccess.run(at: path) { try catalog.history.badVersions() }
    }

    /// Records an event, unless there are `count` of its kind and version.
    package func record(_ event: UpdateEvent, atMost count: Int) throws {
        try StoreAccess.run(at: path) { try catalog.history.record(event, atMost: count) }
    }

    /// Records an event, unless it repeats the last one; see ``history(of:)``.
    package func record(_ event: UpdateEvent) throws {
        try StoreAccess.run(at: path) { try catalog.history.record(event) }
    }

    /// Has a function called with each event that is recorded through this store, once it is durable, in order.
    ///
    /// - Parameter handler: Must return at once, and not use the store; nil for none.
    package func setEventHandler(_ handler: (@Sendable (UpdateEvent) -> Void)?) {
        catalog.connection.eventHandler.withLock { $0 = handler }
    }
}
