import BundleEmbedding

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

        static func transport() -> (any OriginTransport)? {
            #if canImport(Darwin)
                URLSessionTransport()
            #else
                NIOTransport()
            #endif
        }
    #else
        static let isAvailable = false

        static func transport() -> (any OriginTransport)? { nil }
    #endif
}
