import BundleEmbedding
import BundleStore
import CBundle

#if CNetwork
    #if canImport(Darwin)
        import OfflineBundles
    #else
        import BundleTransport
    #endif
#endif

/// The network of clients, if the library is built with one.
///
/// On Linux it isn't `URLSession`: Foundation ends the process there when an origin breaks off at the wrong moment, and is four
/// times as large as all the rest of the library.
enum ClientNetwork {
    #if CNetwork
        static let isAvailable = true
    #else
        static let isAvailable = false
    #endif

    /// Makes the network.
    ///
    /// - Parameter options: Nil for the default.
    /// - Returns: Nil for a library that is built without one.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for options that can't be applied, and `inputUnavailable` for
    ///   files that can't be read.
    static func transport(_ options: ob_network?) throws(BundleError) -> (any OriginTransport)? {
        #if CNetwork
            #if canImport(Darwin)
                return try sessionTransport(options ?? ob_network())
            #else
                return try socketTransport(options ?? ob_network())
            #endif
        #else
            guard options == nil else {
                throw BundleError(.invalidArgument, "this library is built without a network; leave ob_network out")
            }
            return nil
        #endif
    }

    #if CNetwork && canImport(Darwin)
        private static func sessionTransport(_ options: ob_network) throws(BundleError) -> URLSessionTransport {
            let texts = [
                options.ca_file, options.added_ca_file, options.client_certificate, options.client_key,
                options.client_hosts,
                options.proxy, options.no_proxy,
            ]
            guard texts.allSatisfy({ $0 == nil }), options.connect_timeout == 0 else {
                throw BundleError(
                    .invalidArgument,
                    "on this system the network takes certificates, proxies and the time of connecting from the system's "
                        + "settings; leave them out of ob_network"
                )
            }
            return URLSessionTransport(
                firstByteTimeout: duration(options.first_byte_timeout, default: .seconds(30)),
                silenceTimeout: duration(options.silence_timeout, default: .seconds(30)),
                maximumConnectionsPerHost: options.connections_per_host == 0 ? 32 : Int(options.connections_per_host)
            )
        }
    #elseif CNetwork
        private static func socketTransport(_ options: ob_network) throws(BundleError) -> NIOTransport {
            NIOTransport(
                connectTimeout: duration(options.connect_timeout, default: .seconds(5)),
                firstByteTimeout: duration(options.first_byte_timeout, default: .seconds(30)),
                silenceTimeout: duration(options.silence_timeout, default: .seconds(30)),
                maximumConnectionsPerHost: options.connections_per_host == 0 ? 256 : Int(options.connections_per_host),
                trust: try trust(options),
                proxies: try proxies(options),
                identities: try identity(options).map { [$0] } ?? []
            )
        }

        private static func trust(_ options: ob_network) throws(BundleError) -> TrustedCertificates {
            let replacement = try text(options.ca_file, "the path of the authorities")
            let added = try text(options.added_ca_file, "the path of the added authorities")
            guard replacement != nil || added != nil else { return .system }
            return try TrustedCertificates(
                adding: added.map { [$0] } ?? [],
                replacingSystem: replacement.map { [$0] } ?? []
            )
        }

        private static func proxies(_ options: ob_network) throws(BundleError) -> ForwardProxies {
            let excluded = try text(options.no_proxy, "the list of hosts without a proxy") ?? ""
            guard let url = try text(options.proxy, "the proxy's URL") else { return .none }
            let proxy = try ForwardProxy(url)
            return ForwardProxies(http: proxy, https: proxy, excluding: excluded)
        }

        private static func identity(_ options: ob_network) throws(BundleError) -> ClientIdentity? {
            let certificate = try text(options.client_certificate, "the path of the client's certificate")
            let key = try text(options.client_key, "the path of the certificate's key")
            let hosts = try text(options.client_hosts, "the list of hosts for the certificate")
            guard certificate != nil || key != nil || hosts != nil else { return nil }
            guard let certificate, let key else {
                throw BundleError(.invalidArgument, "a client's certificate needs its key; set both in ob_network")
            }
            let names = hosts?.split { $0 == "," || $0.isWhitespace }.map(String.init) ?? []
            // An empty list that is taken for all hosts would tell every server who the device is.
            guard hosts == nil || !names.isEmpty else {
                throw BundleError(.invalidArgument, "client_hosts names no host; name one, or set it to NULL for all")
            }
            return try ClientIdentity(certificate: certificate, key: key, hosts: Set(names))
        }

        private static func text(_ pointer: UnsafePointer<CChar>?, _ what: String) throws(BundleError) -> String? {
            try pointer.map { pointer throws(BundleError) in try CArgument.text(pointer, what) }
        }
    #endif

    #if CNetwork
        private static func duration(_ milliseconds: UInt32, default standard: Duration) -> Duration {
            milliseconds == 0 ? standard : .milliseconds(Int64(milliseconds))
        }
    #endif
}
