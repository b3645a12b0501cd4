import BundleInstall
import BundleNetwork
import BundleStore
import BundleTransport
import BundleUpdate

extension BundleStore {
    /// Calls `body` with an updater, whose network ends with the call.
    func updating<Success>(
        _ configuration: Updater.Configuration,
        over access: NetworkAccess,
        _ body: (Updater) async throws -> Success
    ) async throws -> Success {
        let transport = access.transport()
        var configuration = configuration
        configuration.credentials = access.credentials
        let updater = Updater(self, installer: Installer(self), transport: transport, configuration: configuration)
        let result: Result<Success, any Error>
        do {
            result = .success(try await body(updater))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return try result.get()
    }
}
