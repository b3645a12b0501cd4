import BundleServing
import BundleStore

extension ClientExchange {
    /// The content of the request; empty when it has none.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it is longer than `limit` bytes; what the
    ///   transport throws when the client is gone.
    func content(atMost limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        guard let content else { return bytes }
        for try await chunk in content {
            bytes += chunk
            guard bytes.count <= limit else {
                throw BundleError(.invalidArgument, "the content has over \(limit) bytes")
            }
        }
        return bytes
    }
}
