import BundleEmbedding
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Turns an error of `URLSession` into one line for the user. A value type.
struct URLSessionFailure: Sendable {
    private let place: String
    private let limits: TransportLimits

    init(_ url: URL?, _ limits: TransportLimits) {
        let host = url?.host() ?? ""
        let port = url?.port ?? (url?.scheme == "https" ? 443 : 80)
        place = Printable.text("\(host.contains(":") ? "[\(host)]" : host):\(port)")
        self.limits = limits
    }

    /// - Parameter isReading: Whether the head of the response has arrived.
    func error(from error: any Error, isReading: Bool) -> any Error {
        guard let error = error as? URLError else { return error is BundleError ? error : unknown(error, isReading) }
        guard error.code != .cancelled else { return CancellationError() }
        let (reason, advice) = Self.explanation(of: error)
        return failure(reason, advice, isReading, error)
    }

    /// Nothing has arrived for too long.
    func silence(isReading: Bool) -> BundleError {
        failure(
            "no data for \(isReading ? limits.silence : limits.firstByte)",
            "check the server, or try again later",
            isReading,
            URLError(.timedOut)
        )
    }

    /// The response has ended without a head.
    var noResponse: BundleError {
        failure("it sent no response", "check that the address is right", false, URLError(.badServerResponse))
    }

    /// More has arrived than may be kept.
    var excess: BundleError {
        failure(
            "more than \(limits.unreadByteCount) bytes arrived before they were read",
            "read it faster",
            true,
            URLError(.dataLengthExceedsMaximum)
        )
    }

    private func unknown(_ error: any Error, _ isReading: Bool) -> BundleError {
        failure(Printable.text(String(describing: error)), "check the address and the network", isReading, error)
    }

    private func failure(_ reason: String, _ advice: String, _ isReading: Bool, _ cause: any Error) -> BundleError {
        let what = isReading ? "the response from \(place) broke off" : "could not reach \(place)"
        return BundleError(.networkUnavailable, "\(what): \(reason); \(advice)", cause: cause)
    }

    private static func explanation(of error: URLError) -> (reason: String, advice: String) {
        switch error.code {
        case .cannotConnectToHost:
            ("connection refused", "check that the server is running and that the port is right")
        case .cannotFindHost, .dnsLookupFailed: ("the name has no address", "check the host name and the network")
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed: ("no route to it", "check the network")
        // On Linux what libcurl says of TLS comes without a code of its own.
        case .unknown where error.localizedDescription.contains("certificate"): Self.certificate
        case .unknown where error.localizedDescription.contains("SSL"): Self.handshake
        case .networkConnectionLost, .badServerResponse, .cannotParseResponse, .unknown:
            ("the server closed the connection too early", "check the server, or try again")
        case .timedOut: ("no data in time", "check the server, or try again later")
        case .secureConnectionFailed: Self.handshake
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            Self.certificate
        default: (Printable.text(error.localizedDescription), "check the address and the network")
        }
    }

    private static let certificate = ("its certificate isn't trusted", "check the address and the certificate")
    private static let handshake = (
        "the TLS handshake failed", "check that the address is right and that the server speaks https"
    )
}
