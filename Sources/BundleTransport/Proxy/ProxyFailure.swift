import BundleServing

/// Why a proxy gives no connection. It is the cause of the error that a transport throws then.
enum ProxyFailure: Error, Equatable {
    /// It responds with this status in place of a tunnel, or asks for a user and a password.
    case status(Int)
    /// What it sends isn't an HTTP response.
    case malformed(MalformedResponse)
}
