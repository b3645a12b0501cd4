import Synchronization

/// Counts what is sent and received, by host. Thread-safe.
package final class TrafficLedger: Sendable {
    /// More than an app asks; those that come later are counted together.
    static let maximumHostCount = 1_024

    private let hosts = Mutex<[String: HostTraffic]>([:])

    /// Nothing has been counted.
    package init() {}

    /// What was counted, by host.
    package var traffic: [HostTraffic] { hosts.withLock { $0.values.sorted { $0.host < $1.host } } }

    func count(_ host: String, requests: Int64 = 0, sent: Int = 0, received: Int = 0) {
        hosts.withLock { hosts in
            let isKnown = hosts[host] != nil || hosts.count < Self.maximumHostCount
            let host = isKnown ? host : ""
            hosts[host, default: HostTraffic(host)].requestCount &+= requests
            hosts[host]?.sentByteCount &+= Int64(clamping: sent)
            hosts[host]?.receivedByteCount &+= Int64(clamping: received)
        }
    }
}
