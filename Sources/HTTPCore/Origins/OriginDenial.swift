import BundleModel


/// Why connecting to an origin, a feed or an archive is denied. It is the cause of the error that a transport throws.
///
/// A value type; safe to share between threads.
public struct OriginDenial: Error, Hashable, Sendable {
    /// What is wrong with the address.
    package enum Reason: Hashable, Sendable {
        /// It is in a network to which connections are denied.
        case scope(NetworkAddress, NetworkScope)
        /// This process listens there.
        case ownListener(NetworkAddress, port: Int)
        /// This process listens there, and the proxy is to be there too.
        case ownProxy(NetworkAddress, port: Int)
        /// It can't be determined.
        case unknown
    }

    /// What is wrong with the address.
    package let reason: Reason

    /// Makes one for a reason.
    package init(_ reason: Reason) {
        self.reason = reason
    }

    /// The error to throw for it, with the address, for logs and for the user of a command.
    ///
    /// - Parameter host: Host and port as the URL has them.
    package func error(at host: String) -> BundleError {
        BundleError(.networkUnavailable, "\(host) was not connected to: \(explanation)", remedy, cause: self)
    }

    private var remedy: Remedy? {
        guard case .scope(_, let scope) = reason, OriginAddressPolicy.allowable.contains(scope) else { return nil }
        return .allowOriginNetwork(scope.rawValue)
    }

    private var explanation: String {
        switch reason {
        case .scope(let address, let scope) where OriginAddressPolicy.allowable.contains(scope):
            "\(address) is \(scope.phrase), and the endpoint can be reached from other machines"
        case .scope(let address, let scope):
            "\(address) is \(scope.phrase), which is never connected to; correct the URL"
        case .ownListener(let address, let port):
            "this process itself listens on port \(port) of \(address); correct the origin"
        case .ownProxy(let address, let port):
            "the proxy, port \(port) of \(address), is this process itself; correct the proxy"
        case .unknown: "its address can't be determined; try again"
        }
    }
}
