import Foundation
import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The shop of an app: pages that open with or without a network.
struct Shop {
    let client: BundleClient

    init(folder: URL) throws {
        client = try BundleClient(at: folder)
    }
}
