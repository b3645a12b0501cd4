import BundleModel
import NIOCore

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
