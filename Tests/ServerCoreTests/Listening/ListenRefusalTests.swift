import BundleStore
import NIOCore
import Testing

@testable import ServerCore

@Suite("Refusal to listen")
struct ListenRefusalTests {
    static let tcp = ListenAddress.tcp(host: "127.0.0.1", port: 80)
    static let unix = ListenAddress.unix(path: "/run/x.sock")

    @Test(
        "the text has the reason and the remedy",
        arguments: [
            (tcp, IOError(errnoCode: 13, reason: "bind"), "permission denied; choose a port above 1023"),
            (
                tcp, IOError(errnoCode: 24, reason: "socket"),
                "Too many open files; choose another address"
            ),
            (tcp, HostAddresses.UnknownHost(), "the host name has no address; choose another host"),
            (
                unix, IOError(errnoCode: 2, reason: "bind"),
                "there is no such folder; make it, or choose another path"
            ),
            (
                unix, SocketAddressError.unixDomainSocketPathTooLong,
                "the path is longer than 103 bytes; choose a shorter one"
            ),
        ] as [(ListenAddress, any Error, String)]
    )
    func text(_ address: ListenAddress, _ error: any Error, _ expected: String) {
        let refusal = ListenRefusal(address: address, setting: .adminAddress).error(from: error)
        #expect(refusal.code == .invalidArgument)
        #expect(refusal.message == "could not listen on \(address): \(expected)")
        guard case .change(.adminAddress, _) = refusal.remedy else {
            Issue.record("\(refusal)")
            return
        }
    }
}
