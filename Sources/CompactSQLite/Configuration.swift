/// How a connection is opened.
public struct Configuration {
    /// What happens while another connection has the lock.
    public enum BusyMode {
        /// Waits for this many seconds.
        case timeout(Double)
    }

    public var readonly = false
    public var foreignKeysEnabled = true
    public var busyMode = BusyMode.timeout(0)
    var setups: [(Database) throws -> Void] = []

    public init() {}

    /// Runs `setup` on the new connection.
    public mutating func prepareDatabase(_ setup: @escaping (Database) throws -> Void) { setups.append(setup) }
}
