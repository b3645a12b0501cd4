import ArgumentParser
import BundleStore
import BundleTransport
import Foundation

/// How a verb reaches other hosts. For all verbs that use the network.
struct NetworkAccessOptions: ParsableArguments {
    @Option(
        name: .customLong("ca-certificate"),
        help: ArgumentHelp(
            "Also trust the authorities whose certificates are in this PEM file; may be repeated. SSL_CERT_FILE and SSL_CERT_DIR "
                + "name what is trusted in place of the system's.",
            valueName: "file"
        ),
        completion: .file()
    )
    var authorities: [String] = []

    /// Reads the files, and the variables of other programs for the network.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when a file can't be read, `invalidArgument` when it, or a
    ///   variable, is wrong.
    func read(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(BundleError) -> NetworkAccess {
        NetworkAccess(
            trust: try TrustedCertificates(
                adding: authorities,
                replacingSystem: Self.trustStores(environment: environment)
            )
        )
    }

    /// What is trusted in place of the system's certificates: a file, and folders that colons separate (openssl-env(7)).
    static func trustStores(environment: [String: String]) -> [String] {
        let file = environment["SSL_CERT_FILE"].map { [$0] } ?? []
        let folders = environment["SSL_CERT_DIR"]?.split(separator: ":").map(String.init) ?? []
        return file.filter { !$0.isEmpty } + folders
    }
}
