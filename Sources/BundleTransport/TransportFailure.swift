import AsyncHTTPClient
import BundleModel
import BundleNetwork
import BundleServing
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Turns an error below HTTP into one line for the user.
struct TransportFailure: Sendable {
    /// The progress of the exchange.
    enum Stage {
        case sending
        case reading
    }

    let url: AbsoluteURL
    let connectTimeout: Duration
    let readTimeout: Duration

    /// The error to throw for `error`: a cancellation unchanged, and everything else as `networkUnavailable`.
    func error(from error: any Error, during stage: Stage) -> any Error {
        if error is CancellationError || error as? HTTPClientError == .cancelled { return CancellationError() }
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
        case let error as NIOConnectionError: connection(error)
        case let error as HTTPClientError: exchange(error)
        case HTTPParserError.invalidEOFState: exchange(.remoteConnectionClosed)
        case is HTTPParserError: malformed(.syntax)
        case let error as MalformedResponse: malformed(error)
        case let error as IOError: system(error)
        case is HostLookups.Overload:
            ("too many other host names are being looked up", "check the name server, or try again later")
        default: other(error)
        }
    }

    private func malformed(_ error: MalformedResponse) -> (String, String) {
        (error.explanation, "check that the address is right, or try again")
    }

    private func other(_ error: any Error) -> (String, String) {
        let text = String(describing: error)
        // The module's name identifies a TLS failure as well as its error types would, without another dependency. The
        // text itself doesn't help a user; it is attached as the cause.
        guard String(reflecting: type(of: error)).hasPrefix("NIOSSL.") else {
            return (Printable.text(text), "check the address and the network")
        }
        return text.contains("CERTIFICATE_VERIFY_FAILED")
            ? ("its certificate isn't trusted", "check the address and the certificate")
            : ("the TLS handshake failed", "check that the address is right and that the server speaks https")
    }

    private func connection(_ error: NIOConnectionError) -> (String, String) {
        let causes = error.connectionErrors.map(\.error)
        if let cause = causes.lazy.compactMap({ $0 as? IOError }).first { return system(cause) }
        if causes.isEmpty { return ("the name has no address", "check the host name and the network") }
        return ("no connection within \(connectTimeout)", "check the network, or try again later")
    }

    private func exchange(_ error: HTTPClientError) -> (String, String) {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            ("no connection within \(connectTimeout)", "check the network, or try again later")
        case .readTimeout:
            ("no data for \(readTimeout)", "check the server, or try again later")
        case .remoteConnectionClosed:
            ("the server closed the connection too early", "check the server, or try again")
        default:
            (Printable.text(error.description), "check the address and the server")
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
