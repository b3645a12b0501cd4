import BundleStore
import Testing

@testable import bundlectl

@Suite("How a verb reaches other hosts")
struct NetworkAccessOptionsTests {
    @Test(
        "SSL_CERT_FILE and SSL_CERT_DIR take the place of the system's certificates",
        arguments: [
            ([:], []), (["SSL_CERT_FILE": ""], []), (["SSL_CERT_FILE": "/a.pem"], ["/a.pem"]),
            (["SSL_CERT_DIR": "/b:/c"], ["/b", "/c"]), (["SSL_CERT_FILE": "/a", "SSL_CERT_DIR": "/b"], ["/a", "/b"]),
        ] as [([String: String], [String])]
    )
    func trustStores(_ environment: [String: String], _ paths: [String]) {
        #expect(NetworkAccessOptions.trustStores(environment: environment) == paths)
    }

    @Test("a file of --ca-certificate that can't be read is refused before anything is done")
    func unreadable() throws {
        let options = try NetworkAccessOptions.parse(["--ca-certificate", "/missing.pem"])
        let error = #expect(throws: BundleError.self) { try options.read(environment: [:]) }
        #expect(error?.code == .inputUnavailable)
    }
}
