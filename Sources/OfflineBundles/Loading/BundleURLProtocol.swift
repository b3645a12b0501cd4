import BundleEmbedding
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
public final class BundleURLProtocol: URLProtocol {
    static func mark(_ request: inout URLRequest) {}
}
