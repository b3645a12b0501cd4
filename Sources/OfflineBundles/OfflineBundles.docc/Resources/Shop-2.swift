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

    /// Installs what is shipped with the app, unless the store has it already or something newer.
    func prepare(shipped archive: URL) async throws {
        try await client.seed(archive: archive)
    }
}
