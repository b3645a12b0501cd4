import BundleModel
import BundleNetwork
import BundleServing
import Foundation
import NIOCore
import NIOSSL

/// Turns an error below HTTP into one line for the user.
struct TransportFailure: Sendable {
    /// The progress of the exchange.
    enum Stage {
        case sending
        case reading
    }

    let url: AbsoluteURL
    let limits: TransportLimits

    /// The error to throw for `error`: a cancellation, and what reading the request's content threw, unchanged, and
    /// everything else as `networkUnavailable`.
    func error(from error: any Error, during stage: Stage) -> any Error {
        if let failure = error as? ExchangeFailure { return self.error(from: failure.cause, during: stage) }
        if let failure = error as? ContentFailure { return failure.cause }
        if error is CancellationError { return error }
        if let error = error as? BundleError { return error }
        if let denial = error as? OriginDenial { return denial.error(at: url.hostAndPort) }
        let (reason, advice) = explanation(of: error)
        let message =
            switch stage {
            case .sending: "could not reach \(url.hostAndPort): \(reason); \(advice)"
            case .reading: "the response from \(url.hostAndPort) broke off: \(reason); \(advice)"
            }
        return BundleError(.networkUnavailable, message, cause: error)
    }

    private func explanation(of error: any Error) -> (reason: String, advice: String) {
        switch error {
        case let error as ConnectionProblem: connection(error)
        case let error as MalformedResponse: malformed(error)
        case let error as IOError: system(error)
        case ChannelError.connectTimeout: connection(.notInTime)
        case is ChannelError: connection(.closed)
        case is HostLookups.Overload:
            ("too many other host names are being looked up", "check the name server, or try again later")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: security(error)
        default: (Printable.text(String(describing: error)), "check the address and the network")
        }
    }

    private func malformed(_ error: MalformedResponse) -> (String, String) {
        (error.explanation, "check that the address is right, or try again")
    }

    /// The text of the error doesn't help a user; it is attached as the cause.
    private func security(_ error: any Error) -> (String, String) {
        if Self.isDistrust(error) {
            return ("its certificate isn't trusted", "check the address and the certificate")
        }
        if error as? NIOSSLExtraError == .failedToValidateHostname {
            return ("its certificate is for another name", "check the address and the certificate")
        }
        return ("the TLS handshake failed", "check that the address is right and that the server speaks https")
    }

    /// Whether the peer's certificate is what failed.
    static func isDistrust(_ error: any Error) -> Bool {
        String(describing: error).contains("CERTIFICATE_VERIFY_FAILED")
    }

    private func connection(_ problem: ConnectionProblem) -> (String, String) {
        switch problem {
        case .noAddress: ("the name has no address", "check the host name and the network")
        case .notInTime: ("no connection within \(limits.connecting)", "check the network, or try again later")
        case .silence(let limit): ("no data for \(limit)", "check the server, or try again later")
        case .closed: ("the server closed the connection too early", "check the server, or try again")
        case .shutDown: ("the connections were closed", "try again")
        }
    }

    private func system(_ error: IOError) -> (String, String) {
        switch error.errnoCode {
        case ECONNREFUSED:
            ("connection refused", "check that the server is running and that the port is right")
        case ENETUNREACH, EHOSTUNREACH:
            ("no route to it", "check the network")
        case ECONNRESET, EPIPE:
            ("connection reset", "check the server, or try again")
        default:
            (String(cString: strerror(error.errnoCode)), "check the network")
        }
    }
}

extension BundleError {
    /// Whether the server wasn't asked because its certificate isn't trusted, or is for another name.
    package var isOfCertificate: Bool {
        guard let cause else { return false }
        return TransportFailure.isDistrust(cause) || cause as? NIOSSLExtraError == .failedToValidateHostname
    }
}
