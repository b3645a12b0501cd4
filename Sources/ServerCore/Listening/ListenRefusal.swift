import BundleModel
import Foundation
import NIOCore

/// The explanation why an address can't be listened on, with a remedy.
struct ListenRefusal {
    let address: ListenAddress
    /// The setting that gives the address.
    let setting: Remedy.Setting

    func error(from error: any Error) -> BundleError {
        let (reason, remedy) = explanation(of: error)
        return BundleError(.invalidArgument, "could not listen on \(address): \(reason)", remedy, cause: error)
    }

    /// The reason and the remedy; a reason without a remedy includes the advice.
    private func explanation(of error: any Error) -> (reason: String, remedy: Remedy?) {
        switch (error, address) {
        case (let error as IOError, .tcp): network(error)
        case (let error as IOError, .unix): file(error)
        case (SocketAddressError.unixDomainSocketPathTooLong, _):
            ("the path is longer than 103 bytes", change("choose a shorter one"))
        case (is HostAddresses.UnknownHost, _), (is SocketAddressError, _):
            ("the host name has no address", change("choose another host"))
        case (is UnixSocketFile.OtherKind, _):
            ("a file that isn't a socket is there", change("choose another path"))
        case (let absence as InheritedSockets.Absence, _): inherited(absence)
        case (let error as IOError, _): (system(error) + "; check the .socket unit", nil)
        default: (String(describing: error), change("choose another address"))
        }
    }

    private func network(_ error: IOError) -> (String, Remedy?) {
        switch error.errnoCode {
        case EADDRINUSE: ("address in use", change("choose another port"))
        case EACCES: ("permission denied", change("choose a port above 1023"))
        case EADDRNOTAVAIL: ("this machine has no such address", change("choose another host"))
        default: (system(error), change("choose another address"))
        }
    }

    private func file(_ error: IOError) -> (String, Remedy?) {
        switch error.errnoCode {
        case EADDRINUSE: ("address in use", change("end the server that listens there, or choose another path"))
        case ENOENT, ENOTDIR: ("there is no such folder", change("make it, or choose another path"))
        case EACCES, EPERM: ("permission denied", change("choose a path in a folder of your own"))
        default: (system(error), change("choose another path"))
        }
    }

    private func inherited(_ absence: InheritedSockets.Absence) -> (String, Remedy?) {
        switch absence {
        case .none:
            (
                "this process was passed no sockets",
                change("start it through a .socket unit, or choose an address")
            )
        case .notNamed(let name):
            ("no socket of this name was passed; say FileDescriptorName=\(name) in the .socket unit", nil)
        case .notListening(let descriptor):
            (
                "descriptor \(descriptor) is no listening stream socket; use ListenStream= and Accept=no in the .socket unit",
                nil
            )
        }
    }

    private func change(_ advice: String) -> Remedy { .change(setting, advice) }

    private func system(_ error: IOError) -> String {
        String(cString: strerror(error.errnoCode))
    }
}
