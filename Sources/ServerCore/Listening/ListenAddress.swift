import BundleModel
import Foundation
import NIOCore

/// An address that a server listens on. A value type; safe to share between threads.
public enum ListenAddress: Sendable, Hashable {
    /// A TCP port. The host is an IP address, or a name, which means all of its addresses; an IPv6 address has no
    /// brackets. The port is 0 to 65535; 0 picks a free one.
    case tcp(host: String, port: Int)
    /// A Unix domain socket at this path.
    case unix(path: String)
    /// The sockets that the service manager passed to the process (sd_listen_fds(3)): those with this name, or all.
    case inherited(name: String?)

    /// Parses `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, `unix:/run/bundles.sock`, `systemd` or `systemd:NAME`.
    /// Returns nil for anything else, including a missing host or port: the addresses to which a server is open are
    /// never guessed.
    public init?(_ text: String) {
        if let path = text.suffix(after: "unix:") {
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            self = .unix(path: String(path))
        } else if text == "systemd" {
            self = .inherited(name: nil)
        } else if let name = text.suffix(after: "systemd:") {
            guard !name.isEmpty else { return nil }
            self = .inherited(name: String(name))
        } else {
            self.init(hostAndPort: text)
        }
    }

    private init?(hostAndPort text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = Self.port(text[text.index(after: colon)...]),
            let host = Self.host(text[..<colon])
        else { return nil }
        self = .tcp(host: host, port: port)
    }

    private static func port(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(ASCII.isDigit) ? UInt16(text).map(Int.init) : nil
    }

    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") {
            let address = text.dropFirst().dropLast()
            // A zone (RFC 4007 §11) may follow the address: fe80::1%eth0.
            let digits = address.prefix { $0 != "%" }
            guard digits.contains(":"), digits.allSatisfy({ $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." })
            else { return nil }
            return String(address)
        }
        let isName = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
        return isName && !text.isEmpty ? String(text) : nil
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The address as ``init(_:)`` reads it.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .inherited(let name): name.map { "systemd:\($0)" } ?? "systemd"
        }
    }
}

extension String {
    fileprivate func suffix(after prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

extension ListenAddress {
    /// Why a server couldn't listen here now, with what to do; nil when it could. A TCP port is taken for a moment. Of the
    /// sockets of a service manager nothing can be told.
    package func obstacle(_ setting: Remedy.Setting) -> BundleError? {
        do {
            switch self {
            case .tcp(let host, let port): for socket in try TCPListening.open(host, port: port) { socket.discard() }
            case .unix(let path): try UnixSocketFile.checkIsFree(path)
            case .inherited: break
            }
            return nil
        } catch {
            return ListenRefusal(address: self, setting: setting).error(from: error)
        }
    }
}

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

/// Who may connect to a Unix domain socket: its file's permissions. Connecting requires the write permission.
///
/// A value type; safe to share between threads.
public struct SocketMode: Sendable, Hashable {
    /// The permission bits, 0 to 0o777.
    public let bits: UInt16

    /// Takes permission bits; nil when other bits are set.
    public init?(_ bits: UInt16) {
        guard bits <= 0o777 else { return nil }
        self.bits = bits
    }

    /// Parses up to four octal digits, `660` or `0660`. Returns nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }),
            let bits = UInt16(text, radix: 8)
        else { return nil }
        self.init(bits)
    }
}
