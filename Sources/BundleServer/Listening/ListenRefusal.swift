import BundleStore
import Foundation
import NIOCore

/// The explanation why an address can't be listened on, with a remedy.
struct ListenRefusal {
    let address: ListenAddress
    /// The option that gave the address, such as `--listen`.
    let option: String

    func error(from error: any Error) -> BundleError {
        let (reason, advice) = explanation(of: error)
        return BundleError(.invalidArgument, "could not listen on \(address): \(reason); \(advice)", cause: error)
    }

    private func explanation(of error: any Error) -> (reason: String, advice: String) {
        switch (error, address) {
        case (let error as IOError, .tcp): network(error)
        case (let error as IOError, .unix): file(error)
        case (SocketAddressError.unixDomainSocketPathTooLong, _):
            ("the path is longer than 103 bytes", "choose a shorter one with \(option)")
        case (is HostAddresses.UnknownHost, _), (is SocketAddressError, _):
            ("the host name has no address", "choose another host with \(option)")
        case (is UnixSocketFile.OtherKind, _):
            ("a file that isn't a socket is there", "choose another path with \(option)")
        case (let absence as InheritedSockets.Absence, _): inherited(absence)
        case (let error as IOError, _): (system(error), "check the .socket unit")
        default: (String(describing: error), "choose another address with \(option)")
        }
    }

    private func network(_ error: IOError) -> (String, String) {
        switch error.errnoCode {
        case EADDRINUSE: ("address in use", "choose another port with \(option)")
        case EACCES: ("permission denied", "choose a port above 1023 with \(option)")
        case EADDRNOTAVAIL: ("this machine has no such address", "choose another host with \(option)")
        default: (system(error), "choose another address with \(option)")
        }
    }

    private func file(_ error: IOError) -> (String, String) {
        switch error.errnoCode {
        case EADDRINUSE:
            ("address in use", "end the server that listens there, or choose another path with \(option)")
        case ENOENT, ENOTDIR: ("there is no such folder", "make it, or choose another path with \(option)")
        case EACCES, EPERM: ("permission denied", "choose a path in a folder of your own with \(option)")
        default: (system(error), "choose another path with \(option)")
        }
    }

    private func inherited(_ absence: InheritedSockets.Absence) -> (String, String) {
        switch absence {
        case .none:
            ("this process was passed no sockets", "start it through a .socket unit, or give \(option) an address")
        case .notNamed(let name):
            ("no socket of this name was passed", "say FileDescriptorName=\(name) in the .socket unit")
        case .notListening(let descriptor):
            (
                "descriptor \(descriptor) is no listening stream socket",
                "use ListenStream= and Accept=no in the .socket unit"
            )
        }
    }

    private func system(_ error: IOError) -> String {
        String(cString: strerror(error.errnoCode))
    }
}
