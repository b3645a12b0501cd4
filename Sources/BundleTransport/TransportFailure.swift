import BundleModel
import Foundation
import HTTPCore
import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Turns an error below HTTP into one line for the user.
struct TransportFailure: Sendable {
    /// The progress of the exchange.
    enum Stage {
        case sending
        case reading
    }

    let url: AbsoluteURL
    let limits: TransportLimits
    /// The proxy between; nil for none.
    var proxy: ForwardProxy?

    /// The error to throw for `error`: a cancellation, and what reading the request's content threw, unchanged, and
    /// everything else as `networkUnavailable`.
    func error(from error: any Error, during stage: Stage) -> any Error {
        if let failure = error as? ExchangeFailure { return self.error(from: failure.cause, during: stage) }
        if let failure = error as? ContentFailure { return failure.cause }
        if error is CancellationError { return error }
        if let error = error as? BundleError { return error }
        if let denial = error as? OriginDenial { return denial.error(at: url.hostAndPort) }
        let explanation = proxy.flatMap { self.explanation(of: error, from: $0) } ?? self.explanation(of: error)
        let event =
            switch stage {
            case .sending: "could not reach \(url.hostAndPort)" + (proxy.map { " through the proxy \($0)" } ?? "")
            case .reading: "the response from \(url.hostAndPort) broke off"
            }
        let advice = explanation.advice.map { "; \($0)" } ?? ""
        return BundleError(
            .networkUnavailable,
            "\(event): \(explanation.reason)\(advice)",
            explanation.remedy,
            cause: error
        )
    }

    /// What has happened, and what to do: as a remedy, or in words that hold for every program.
    private struct Explanation {
        let reason: String
        var advice: String?
        var remedy: Remedy?

        init(_ reason: String, _ advice: String) { (self.reason, self.advice) = (reason, advice) }
        init(_ reason: String, _ remedy: Remedy) { (self.reason, self.remedy) = (reason, remedy) }
    }

    private func explanation(of error: any Error) -> Explanation {
        switch error {
        case let error as ConnectionProblem: connection(error)
        case let error as MalformedResponse: malformed(error)
        case let error as IOError: system(error)
        case ChannelError.connectTimeout: connection(.notInTime)
        case is ChannelError: connection(.closed)
        case is HostLookups.Overload:
            Explanation("too many other host names are being looked up", "check the name server, or try again later")
        case let fault as CertificateFault: certificate(fault)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            Explanation("the TLS handshake failed", "check that the address is right and that the server speaks https")
        default: Explanation(Printable.text(String(describing: error)), "check the address and the network")
        }
    }

    /// What is the proxy's matter; nil for anything else. Only the proxy is connected to.
    private func explanation(of error: any Error, from proxy: ForwardProxy) -> Explanation? {
        switch error {
        case ProxyFailure.status(407):
            Explanation(
                proxy.credential == nil
                    ? "the proxy wants a user and a password" : "the proxy doesn't accept the user and the password",
                .giveProxyCredential
            )
        case ProxyFailure.status(let code) where [401, 403, 405].contains(code):
            Explanation("the proxy doesn't permit it, and responds with \(code)", .bypassProxy)
        case ProxyFailure.status(let code) where code >= 500:
            Explanation(
                "the proxy doesn't reach it, and responds with \(code)",
                "check the host name, or try again later"
            )
        case ProxyFailure.status(let code): Explanation("the proxy responds with \(code)", .correctProxy)
        case ProxyFailure.malformed: Explanation("what the proxy sends isn't HTTP", .correctProxy)
        case ConnectionProblem.noAddress: Explanation("the proxy's name has no address", .correctProxy)
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            Explanation("the proxy refuses connections", .correctProxy)
        case let error as IOError where [ENETUNREACH, EHOSTUNREACH].contains(error.errnoCode):
            Explanation("there is no route to the proxy", .correctProxy)
        default: nil
        }
    }

    private func malformed(_ error: MalformedResponse) -> Explanation {
        Explanation(error.explanation, "check that the address is right, or try again")
    }

    private func certificate(_ fault: CertificateFault) -> Explanation {
        switch fault {
        case .expired:
            Explanation("its certificate has expired", "have it renewed, and check the clock of this machine")
        case .notYetValid: Explanation("its certificate isn't valid yet", "check the clock of this machine")
        case .otherName: Explanation("its certificate is for another name", "check the address and the certificate")
        case .otherKey:
            Explanation(
                "its certificate has a key that isn't pinned",
                "pin the key of its new certificate, if it has one"
            )
        case .unknownIssuer(let issuer?):
            Explanation("“\(issuer)” has issued its certificate, and isn't trusted", .trustIssuer)
        case .unknownIssuer(nil): Explanation("the issuer of its certificate isn't trusted", .trustIssuer)
        }
    }

    private func connection(_ problem: ConnectionProblem) -> Explanation {
        switch problem {
        case .noAddress: Explanation("the name has no address", "check the host name and the network")
        case .notInTime:
            Explanation("no connection within \(limits.connecting)", "check the network, or try again later")
        case .silence(let limit): Explanation("no data for \(limit)", "check the server, or try again later")
        case .closed: Explanation("the server closed the connection too early", "check the server, or try again")
        case .shutDown: Explanation("the connections were closed", "try again")
        }
    }

    private func system(_ error: IOError) -> Explanation {
        switch error.errnoCode {
        case ECONNREFUSED:
            Explanation("connection refused", "check that the server is running and that the port is right")
        case ENETUNREACH, EHOSTUNREACH:
            Explanation("no route to it", "check the network")
        case ECONNRESET, EPIPE:
            Explanation("connection reset", "check the server, or try again")
        default:
            Explanation(String(cString: strerror(error.errnoCode)), "check the network")
        }
    }
}

/// What goes wrong with a connection, apart from the system's errors.
enum ConnectionProblem: Error, Equatable {
    /// The name has no address.
    case noAddress
    /// There is no connection within the limit.
    case notInTime
    /// Nothing came for this long.
    case silence(Duration)
    /// The origin closed the connection before the response's end.
    case closed
    /// The transport was shut down.
    case shutDown
}

extension ConnectionProblem: OriginFailureCause {
    package var originFailure: OriginFailure {
        switch self {
        case .noAddress: .unknownHost
        case .notInTime: .connectTimeout
        case .silence: .silence
        case .closed, .shutDown: .brokenOff
        }
    }
}

extension IOError: OriginFailureCause {
    package var originFailure: OriginFailure {
        switch errnoCode {
        case ECONNREFUSED: .refused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: .unreachable
        case ETIMEDOUT: .connectTimeout
        default: .brokenOff
        }
    }
}

extension ChannelError: OriginFailureCause {
    package var originFailure: OriginFailure { if case .connectTimeout = self { .connectTimeout } else { .brokenOff } }
}

extension NIOSSLError: OriginFailureCause {
    package var originFailure: OriginFailure { .handshake }
}

extension NIOSSLExtraError: OriginFailureCause {
    package var originFailure: OriginFailure { .handshake }
}

extension BoringSSLError: OriginFailureCause {
    package var originFailure: OriginFailure { .handshake }
}

extension BundleError {
    /// Whether a ``NIOTransport`` couldn't connect, to the host or to the proxy: the name has no address, there is no route, or
    /// nothing accepts the connection; or whether the medium with a feed isn't there. A machine without a network gets no other
    /// error. A server's response, a TLS handshake that fails, and a
    /// connection that breaks off are none of these.
    public var isOffline: Bool {
        switch cause {
        case is AbsentPlace: true
        case let cause as any OriginFailureCause:
            [.unknownHost, .refused, .unreachable, .connectTimeout].contains(cause.originFailure)
        case let error as BundleError: error.isOffline
        default: false
        }
    }
}
