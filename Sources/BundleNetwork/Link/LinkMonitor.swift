#if canImport(Network)
    import Dispatch
    import Network

    /// Has a link follow the system's for as long as it lives.
    ///
    /// `@unchecked Sendable`: the documentation of `NWPathMonitor` doesn't say that it is. It is set up before others get it, and only
    /// cancelled after that.
    package final class LinkMonitor: @unchecked Sendable {
        private let monitor: NWPathMonitor

        /// - Parameters:
        ///   - link: Told of each change, on a queue of the monitor's own. Not kept.
        ///   - monitor: One that hasn't been started.
        package init(_ link: NetworkLink, _ monitor: NWPathMonitor = NWPathMonitor()) {
            self.monitor = monitor
            monitor.pathUpdateHandler = { [weak link] path in
                // Low Data Mode is the person's word for a link that is metered. A connection that makes one go up counts as a link.
                link?.isMetered = path.isExpensive || path.isConstrained
                link?.isUp = path.status != .unsatisfied
            }
            monitor.start(queue: DispatchQueue(label: "offline-bundles.link"))
        }

        deinit {
            monitor.cancel()
        }
    }
#endif
