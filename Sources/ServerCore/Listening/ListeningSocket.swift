import BundleModel
import Foundation
import NIOCore
import Synchronization

/// A listening socket: non-blocking, closed on exec, and closed when the object is deallocated.
///
/// Thread-safe.
package final class ListeningSocket: Sendable {
    /// The address it listens on: an IP address with the actual port, or a path.
    package let address: ListenAddress
    /// The descriptor to accept connections from, until ``close()``.
    let descriptor: CInt

    /// Present when this process must remove the file.
    private let file: UnixSocketFile?
    private let isOpen = Mutex(true)

    private init(_ socket: StreamSocket, as address: ListenAddress, file: UnixSocketFile? = nil) {
        descriptor = socket.descriptor
        self.address = address
        self.file = file
    }

    deinit {
        close()
    }

    /// Opens the sockets of an address, at least one. A host name is listened on at each of its addresses that the
    /// machine has; `::` accepts IPv4 as well, and no other IPv6 address does. A Unix socket on which no process
    /// listens any more is replaced. Looking a name up blocks.
    ///
    /// - Parameters:
    ///   - mode: Who may connect to a Unix socket; nil leaves it to the umask.
    ///   - setting: The setting that gives the address.
    ///   - environment: The environment that describes inherited sockets.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the address can't be listened on.
    package static func open(
        _ address: ListenAddress,
        mode: SocketMode? = nil,
        setting: Remedy.Setting = .listenAddress,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(BundleError) -> [ListeningSocket] {
        do {
            switch address {
            case .tcp(let host, let port):
                return try TCPListening.open(host, port: port).map { ListeningSocket($0, as: $0.boundTo ?? address) }
            case .unix(let path):
                let (socket, file) = try UnixSocketFile.listen(at: path, mode: mode)
                return [ListeningSocket(socket, as: address, file: file)]
            case .inherited(let name):
                return try InheritedSockets(environment).open(name).map {
                    ListeningSocket($0, as: $0.boundTo ?? address)
                }
            }
        } catch {
            throw ListenRefusal(address: address, setting: setting).error(from: error)
        }
    }

    /// The address for clients: `http://127.0.0.1:8080`, or `unix:/run/bundles.sock`.
    package func url(scheme: String = "http") -> String {
        switch address {
        case .tcp: "\(scheme)://\(address)"
        case .unix, .inherited: "\(address)"
        }
    }

    /// A second descriptor, which the caller closes; connections arrive at both.
    ///
    /// - Throws: `IOError` when the process has no descriptor left.
    func duplicate() throws(IOError) -> CInt {
        try StreamSocket(descriptor: descriptor).duplicate().descriptor
    }

    /// Stops listening, and removes the file of a Unix socket that this process made. Does nothing when called again.
    package func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        file?.remove()
        StreamSocket(descriptor: descriptor).discard()
    }
}

extension StreamSocket {
    /// The bound address, nil when it can't be represented.
    fileprivate var boundTo: ListenAddress? {
        guard let address = localAddress else { return nil }
        if let host = address.ipAddress, let port = address.port { return .tcp(host: host, port: port) }
        return address.pathname.flatMap { $0.isEmpty ? nil : .unix(path: $0) }
    }
}
