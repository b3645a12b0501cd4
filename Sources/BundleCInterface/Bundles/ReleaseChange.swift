import BundleEmbedding
import BundleStore
import CBundle

/// Changes something of a bundle, and waits for it: the body of the functions that return nothing but a status.
///
/// - Parameters:
///   - version: The version that it is about; nil for none.
///   - change: Gets the version that was passed.
func changing(
    _ bundle: UnsafePointer<CChar>,
    _ version: UnsafePointer<CChar>? = nil,
    of client: OpaquePointer,
    _ error: ErrorPlace?,
    _ change: @escaping @Sendable (BundleClient, BundleName, BundleVersion?) async throws -> Void
) -> ob_status {
    let client = Handle<ClientHandle>.object(client).client
    return reporting(error) {
        let name = try CArgument.name(bundle)
        let version = try version.map { try CArgument.version($0) }
        try Waiting.run { _ in try await change(client, name, version) }
    }
}
