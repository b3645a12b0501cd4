import HTTPCore


/// Counts a server's connections and requests. Every call returns immediately, from any thread.
package protocol ServerMetrics: Sendable {
    func connectionOpened()

    func connectionClosed()

    /// Counts a connection that was refused because there are too many.
    func connectionRefused()

    /// Notes how long a request took; that there was one is counted by a `TallySheet`.
    ///
    /// - Parameter duration: From the request's head to the response's last byte.
    func record(_ layer: ResponseSource.Layer, duration: Duration)
}
