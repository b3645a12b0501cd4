import BundleServer
import BundleStore

/// Whether a server could listen at an address.
enum SocketCheck {
    static func finding(_ address: ListenAddress) -> Finding {
        guard let obstacle = address.obstacle(.listenAddress) else {
            return Finding(.ok, .socket, "a server could listen on \(address)")
        }
        var holder: PortHolder?
        if case .tcp(_, let port) = address, port != 0 { holder = PortHolder(port: port) }
        let owner = holder.map { " by process \($0.process) (\($0.name))" } ?? ""
        return Finding(.error, .socket, obstacle.problem + owner, remedy: obstacle.remedy.map(Advice.text))
    }
}
