import BundleServing

/// Counts a server's connections and requests. Every call returns immediately, from any thread.
package protocol ServerMetrics: Sendable {
    func connectionOpened()

    func connectionClosed()

    /// Counts a connection that was refused because there are too many.
    func connectionRefused()

    /// Counts a request and its response.
    ///
    /// - Parameters:
    ///   - status: 100 to 599.
    ///   - byteCount: The number of body bytes that were passed to the connection, at least 0.
    ///   - duration: From the request's head to the response's last byte.
    func record(_ layer: ResponseSource.Layer, status: Int, byteCount: Int, duration: Duration)
}
