/// What kept an origin from responding, as far as a framework of apps has an error for it.
package enum OriginFailure: Sendable {
    /// The name has no address.
    case unknownHost
    /// Nothing accepts the connection.
    case refused
    /// There is no route to the address.
    case unreachable
    /// There was no connection in time.
    case connectTimeout
    /// No data came in time.
    case silence
    /// The connection was closed too early.
    case brokenOff
    /// The response isn't HTTP.
    case malformed
    /// The TLS handshake failed, and not for the certificate.
    case handshake
    /// The server's certificate isn't valid any more, not yet, not for this host, has another key than the
    /// host's pins, or nobody who is trusted has issued it.
    case expiredCertificate, notYetValidCertificate, certificateOfOtherName, certificateOfOtherKey,
        certificateOfUnknownIssuer
}

/// The cause of an error with code `networkUnavailable` that says what kept the origin from responding.
package protocol OriginFailureCause: Error {
    var originFailure: OriginFailure { get }
}

extension MalformedResponse: OriginFailureCause {
    package var originFailure: OriginFailure { .malformed }
}
