import BundleModel
import BundleNetwork
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Why a server's certificate isn't trusted, which the library for TLS doesn't tell.
package enum CertificateFault: Sendable, Equatable {
    /// It was valid until then.
    case expired(Date)
    /// It is valid from then on; more often it is this machine's clock that is wrong.
    case notYetValid(Date)
    /// It is for other hosts.
    case otherName
    /// Nobody whom the system trusts has issued it.
    case unknownIssuer

    /// What is wrong with a certificate that was refused. Pure.
    package init(validity: ClosedRange<Date>, isForHost: Bool, now: Date) {
        self =
            if now > validity.upperBound {
                .expired(validity.upperBound)
            } else if now < validity.lowerBound {
                .notYetValid(validity.lowerBound)
            } else {
                isForHost ? .unknownIssuer : .otherName
            }
    }

    /// Asks a server whose certificate was refused for it; nothing is sent to it. Nil when it gives none within `limit`.
    package init?(of host: String, port: Int, within limit: Duration, now: Date) async {
        guard let certificate = await Self.certificate(of: host, port, within: TimeAmount(limit)) else { return nil }
        let start = Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore))
        let end = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
        self.init(validity: start...max(start, end), isForHost: Self.isHost(host, of: certificate), now: now)
    }

    /// An address stands in the certificate as its octets (RFC 5280 §4.2.1.6).
    private static func isHost(_ host: String, of certificate: NIOSSLCertificate) -> Bool {
        guard let address = try? SocketAddress(ipAddress: host, port: 0) else {
            return CertificateName.isHost(host, of: certificate)
        }
        let octets: [UInt8] =
            switch address {
            case .v4(let address): withUnsafeBytes(of: address.address.sin_addr, Array.init)
            case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr, Array.init)
            case .unixDomainSocket: []
            }
        return certificate._subjectAlternativeNames().contains { name in
            name.nameType == .ipAddress && name.contents.withUnsafeBufferPointer { $0.elementsEqual(octets) }
        }
    }

    private static func certificate(
        of host: String,
        _ port: Int,
        within limit: TimeAmount
    ) async -> NIOSSLCertificate? {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: NIOSSLCertificate?.self)
        let timer = loop.scheduleTask(in: limit) { promise.succeed(nil) }
        let connecting = ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // The handshake ends with the certificate: no session comes of it.
                    let handler = try NIOSSLClientHandler(
                        context: NIOSSLContext(configuration: .makeClientConfiguration()),
                        serverHostname: NetworkAddress(host) == nil ? host : nil,
                        customVerificationCallback: { chain, verdict in
                            promise.succeed(chain.first)
                            verdict.succeed(.failed)
                        }
                    )
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: host, port: port)
        connecting.whenFailure { _ in promise.succeed(nil) }
        connecting.whenSuccess { $0.closeFuture.whenComplete { _ in promise.succeed(nil) } }
        let certificate = try? await promise.futureResult.get()
        timer.cancel()
        connecting.whenSuccess { $0.close(promise: nil) }
        return certificate ?? nil
    }
}
