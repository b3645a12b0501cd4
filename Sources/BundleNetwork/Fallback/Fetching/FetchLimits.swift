import HTTPCore

/// The limits of fetches from origins. A value type; safe to share between threads.
package struct FetchLimits: Sendable, Hashable {
    /// How many requests to one origin wait for its responses at once, at least 1; further ones queue. As many as the
    /// transport opens connections to an origin.
    package var perOrigin = 256
    /// How many of them may be for one URL, at least 1.
    package var perURL = 128
    /// How many fetches of one origin go on at once without a client that waits for them: revalidations, and bodies that
    /// are stored although their clients have left. At least 0; further ones end.
    package var perOriginUnattended = 16
    /// How long a fetch goes on without a client.
    package var unattended: Duration = .seconds(120)
    /// How long a fetch takes at most, the body included. Event streams are the longest that are useful.
    package var total: Duration = .seconds(24 * 60 * 60)
    /// How long a client waits for an origin when a stored response or an offline page can take the place of the
    /// origin's.
    package var patience: Duration = .milliseconds(1_500)
    /// How requests are repeated that got no response.
    package var retries = RetryPolicy()
    /// How much of a body is held back at its beginning, in bytes, in case the origin breaks off: a body that ends or
    /// breaks before is better sent as a whole.
    package var startByteCount = 64 << 10
    /// How long it is held back.
    package var startTime: Duration = .milliseconds(100)

    /// The default limits.
    package init() {}
}
