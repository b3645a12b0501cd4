import BundleUpdate

/// Runs the programs that keep the credentials of registries for docker(1).
enum CredentialHelper {
    /// Asks one for the credential of a registry.
    ///
    /// - Throws: `BundleError` with code `outputUnavailable` when it can't be started.
    @Sendable static func run(_ program: String, _ registry: String) async throws -> DockerCredentials.HelperResult {
        let (status, output) = try KeyStoreCommand().outcome("exec \(program) get", Array(registry.utf8), [:])
        return DockerCredentials.HelperResult(isSuccess: status == .exited(0), output: output ?? [])
    }
}
