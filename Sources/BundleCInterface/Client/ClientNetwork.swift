import BundleEmbedding

#if CNetwork
    import OfflineBundles
#endif

/// The network of clients, if the library is built with one.
enum ClientNetwork {
    #if CNetwork
        static let isAvailable = true

        static func transport() -> (any OriginTransport)? { URLSessionTransport() }
    #else
        static let isAvailable = false

        static func transport() -> (any OriginTransport)? { nil }
    #endif
}
