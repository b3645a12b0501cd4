// What this project uses of Network, as Apple documents it; see WebKit.swift beside it.

public import Dispatch

/// <https://developer.apple.com/documentation/network/nwpath>, iOS 12.
public struct NWPath: Sendable {
    /// <https://developer.apple.com/documentation/network/nwpath/status-swift.enum>, iOS 12.
    public enum Status: Sendable {
        /// The path can be used.
        case satisfied
        /// The path can't be used.
        case unsatisfied
        /// A new connection may activate the path.
        case requiresConnection
    }

    /// <https://developer.apple.com/documentation/network/nwpath/status-swift.property>, iOS 12.
    public let status: Status
    /// <https://developer.apple.com/documentation/network/nwpath/isexpensive>, iOS 12.
    public let isExpensive: Bool
    /// <https://developer.apple.com/documentation/network/nwpath/isconstrained>, iOS 13.
    public let isConstrained: Bool

    /// For tests: the system makes paths.
    package init(_ status: Status, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.status = status
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}

/// <https://developer.apple.com/documentation/network/nwpathmonitor>, iOS 12.
public final class NWPathMonitor {
    /// For tests, which use it on one thread at a time: the monitor that was started last.
    nonisolated(unsafe) package private(set) static weak var latest: NWPathMonitor?

    private var queue: DispatchQueue?
    /// For tests: whether it has been cancelled.
    package private(set) var isCancelled = false

    /// <https://developer.apple.com/documentation/network/nwpathmonitor/init()>, iOS 12.
    public init() {}

    /// <https://developer.apple.com/documentation/network/nwpathmonitor/pathupdatehandler>, iOS 12.
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?

    /// <https://developer.apple.com/documentation/network/nwpathmonitor/start(queue:)>, iOS 12.
    public func start(queue: DispatchQueue) {
        self.queue = queue
        Self.latest = self
    }

    /// <https://developer.apple.com/documentation/network/nwpathmonitor/cancel()>, iOS 12.
    public func cancel() { isCancelled = true }

    /// For tests: tells of a path, and waits until that has been taken. Nothing is told before the start, or after the end.
    package func tell(_ path: NWPath) {
        guard !isCancelled, let queue, let pathUpdateHandler else { return }
        queue.sync { pathUpdateHandler(path) }
    }
}
