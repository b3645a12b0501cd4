import CWebKitGTK

/// The connections that the ``ShellProxy`` passes on.
@MainActor
struct OpenTunnels {
    struct Tunnel {
        let number: Int
        let destination: SocksDestination
        /// Ends it.
        let cancellable: GObjectReference
    }

    private var tunnels: [Int: Tunnel] = [:]
    private var lastNumber = 0

    mutating func open(to destination: SocksDestination) -> Tunnel {
        lastNumber += 1
        let cancellable = GObjectReference(taking: UnsafeMutableRawPointer(g_cancellable_new()))
        let tunnel = Tunnel(number: lastNumber, destination: destination, cancellable: cancellable)
        tunnels[lastNumber] = tunnel
        return tunnel
    }

    mutating func remove(_ number: Int) {
        tunnels[number] = nil
    }

    /// Closes those that lead to certain destinations. They are removed once they have ended.
    func close(where isUnwanted: (SocksDestination) -> Bool) {
        for tunnel in tunnels.values where isUnwanted(tunnel.destination) {
            g_cancellable_cancel(tunnel.cancellable.pointer.assumingMemoryBound(to: GCancellable.self))
        }
    }
}
