import BundleEmbedding
import Foundation

#if SwiftNIO
    import BundleTransport
#endif

extension BundleClient {
    /// Opens a store with the network that suits the system: ``URLSessionTransport`` on Apple's systems, and SwiftNIO's
    /// `NIOTransport` on Linux, where `URLSession` ends the process for broken responses
    /// (<doc:URLSessionTransport-differences>). Reads the store's catalog, and waits for the disk.
    ///
    /// - Parameters:
    ///   - path: The store's folder; it is created if it is missing.
    ///   - configuration: How the client works.
    /// - Throws: As ``/BundleEmbedding/BundleClient/init(at:transport:configuration:)-(String,_,_)``.
    public convenience init(at path: String, configuration: Configuration = Configuration()) throws {
        try self.init(at: path, transport: Self.systemTransport(), configuration: configuration)
    }

    /// The same with the folder's URL.
    ///
    /// - Throws: As above; ``/BundleModel/BundleError`` with code `invalidArgument` also when `folder` isn't the URL of a folder on this
    ///   machine.
    public convenience init(at folder: URL, configuration: Configuration = Configuration()) throws {
        try self.init(at: folder, transport: Self.systemTransport(), configuration: configuration)
    }

    /// The network that suits the system.
    static func systemTransport() -> any OriginTransport {
        #if SwiftNIO
            NIOTransport()
        #else
            URLSessionTransport()
        #endif
    }
}
