import Crypto
import Foundation
import HTTPTypes
import SelfSignedCertificates

/// Debian's docker-registry, the reference implementation of a registry of containers, on loopback. Safe to use from any number of tasks at
/// once.
package struct DockerRegistry: Sendable {
    /// How it knows its users.
    package enum Access: Sendable {
        /// By a password, see ``user`` and ``password``.
        case password
        /// By the tokens of a service.
        case tokens(RegistryTokenService)
        /// It knows none.
        case open
    }

    package static let user = "user"
    package static let password = "secret"
    /// The password's hash by bcrypt, the only one that it takes.
    private static let hash = "$2y$05$6AavbvrhyMhPkrMGzxq1/.mwDNY9YrPDpb5hIvgACUMcELB0kGjtW"

    /// Whether its tests run: where it is installed, and where none may be left out.
    package static let isWanted =
        ProcessInfo.processInfo.environment["OFFLINE_BUNDLES_STRICT"] != nil
        || ["docker-registry", "skopeo"].allSatisfy(isInstalled)
    /// For a test that is skipped without it.
    package static let advice = "scripts/bootstrap tests installs docker-registry and skopeo"

    /// What references begin with.
    package var authority: String { "127.0.0.1:\(port.number)" }

    private let configuration: String
    private let port: ReservedPort

    /// Writes its configuration.
    ///
    /// - Parameters:
    ///   - directory: Where it has its files.
    ///   - name: The folder in it.
    ///   - store: The object store where it has its blobs, in the bucket `registry`, and to which it leads who reads them; nil for a folder.
    package init(
        in directory: TemporaryDirectory,
        _ name: String,
        _ access: Access,
        behind store: SeaweedFS? = nil
    ) throws {
        port = try ReservedPort()
        let users = try directory.write("\(Self.user):\(Self.hash)\n", to: "\(name)/users")
        let auth: String
        switch access {
        case .open: auth = ""
        case .password: auth = "auth: {htpasswd: {realm: tests, path: '\(users)'}}\n"
        case .tokens(let service):
            let bundle = try directory.write(service.certificate, to: "\(name)/tokens.pem")
            auth = """
                auth: {token: {realm: '\(service.url)', service: tests, issuer: tests, rootcertbundle: '\(bundle)'}}

                """
        }
        configuration = try directory.write(
            """
            version: 0.1
            log: {level: error, accesslog: {disabled: true}}
            storage: {\(store?.registryStorage ?? "filesystem: {rootdirectory: '\(directory.path(of: "\(name)/data"))'}"), delete: {enabled: true}}
            http: {addr: '127.0.0.1:\(port.number)'}
            \(auth)
            """,
            to: "\(name)/config.yml"
        )
    }

    /// Runs it while `body` runs.
    package func serving<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await withChildProcess("docker-registry", ["serve", configuration], environment: Self.environment) { _ in
            let url = "http://\(authority)/v2/"
            try await eventually("a response of \(url)", every: .milliseconds(20)) {
                try await ChildProcess.run("curl", ["--silent", "--noproxy", "*", "--output", "/dev/null", url])
                    .exitCode == 0
            }
            return try await body()
        }
    }

    /// Removes the blobs that no manifest names. It mustn't run then.
    package func collectGarbage() async throws -> ProcessResult {
        try await ChildProcess.run(
            "docker-registry",
            ["garbage-collect", configuration],
            environment: Self.environment
        )
    }

    /// The file of docker(1) with its password, in a folder for `DOCKER_CONFIG`.
    package func login(in directory: TemporaryDirectory) throws -> String {
        let credential = Data("\(Self.user):\(Self.password)".utf8).base64EncodedString()
        try directory.write(#"{"auths": {"\#(authority)": {"auth": "\#(credential)"}}}"#, to: "login/config.json")
        return directory.path(of: "login")
    }

    /// It ends where this variable is set.
    private static let environment = ProcessInfo.processInfo.environment.filter { $0.key != "AWS_CA_BUNDLE" }

    private static func isInstalled(_ program: String) -> Bool {
        (environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
}

/// Makes the tokens that a registry takes (distribution, “Token Authentication Implementation”): it gives who knows the password what
/// is asked for, and others the right to pull. Safe to use from any number of tasks at once.
package struct RegistryTokenService: Sendable {
    /// Where tokens are asked for.
    package let url: String
    /// The certificate of its key, in PEM.
    let certificate: String
    private let key: P256.Signing.PrivateKey
    private let lifetime: TimeInterval

    /// - Parameters:
    ///   - server: Where it responds.
    ///   - lifetime: How long a token is taken in seconds.
    package init(on server: OriginServer, lifetime: TimeInterval = 300) throws {
        key = P256.Signing.PrivateKey()
        self.lifetime = lifetime
        url = "\(server.baseURL)/token"
        certificate = try SelfSignedCertificate.pem(
            subject: "tests",
            validFrom: Date(timeIntervalSinceNow: -3_600),
            days: 2,
            key: key
        )
        let service = self
        server.route("/token") { request in try service.response(to: request) }
    }

    private func response(to request: HTTPRequest) throws -> ScriptedResponse {
        let credential = "Basic " + Data("\(DockerRegistry.user):\(DockerRegistry.password)".utf8).base64EncodedString()
        let sent = request.headerFields[.authorization]
        guard sent == nil || sent == credential else { return ScriptedResponse("{}", status: .unauthorized) }
        let query = URLComponents(string: request.path ?? "")?.queryItems ?? []
        let scope = query.first { $0.name == "scope" }?.value?.split(separator: ":").map(String.init) ?? []
        let asked = scope.count == 3 ? scope[2].split(separator: ",").map(String.init) : []
        let actions = sent == nil ? asked.filter { $0 == "pull" } : asked
        let token = try token(for: scope.count == 3 ? scope[1] : "", actions)
        return ScriptedResponse(#"{"token":"\#(token)","expires_in":\#(Int(lifetime))}"#, type: "application/json")
    }

    private func token(for repository: String, _ actions: [String]) throws -> String {
        let der = certificate.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let now = Int(Date().timeIntervalSince1970)
        let names = actions.map { "\"\($0)\"" }.joined(separator: ",")
        let claims =
            #"{"iss":"tests","sub":"user","aud":"tests","exp":\#(now + Int(lifetime)),"nbf":\#(now - 10),"iat":\#(now),"#
            + #""jti":"\#(UUID())","access":[{"type":"repository","name":"\#(repository)","actions":[\#(names)]}]}"#
        let signed = [#"{"alg":"ES256","typ":"JWT","x5c":["\#(der)"]}"#, claims].map { Self.base64url($0.utf8) }.joined(
            separator: "."
        )
        return signed + "." + Self.base64url(try key.signature(for: Data(signed.utf8)).rawRepresentation)
    }

    private static func base64url(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension SeaweedFS {
    /// The part of a registry's configuration that has it use the bucket `registry`.
    fileprivate var registryStorage: String {
        let (key, secret) = (environment["AWS_ACCESS_KEY_ID"] ?? "", environment["AWS_SECRET_ACCESS_KEY"] ?? "")
        return
            "s3: {region: us-east-1, regionendpoint: '\(url)', bucket: registry, accesskey: '\(key)', secretkey: '\(secret)', secure: false}"
    }

    /// Makes a bucket.
    package func makeBucket(_ name: String) async throws -> ProcessResult {
        let (key, secret) = (environment["AWS_ACCESS_KEY_ID"] ?? "", environment["AWS_SECRET_ACCESS_KEY"] ?? "")
        return try await ChildProcess.run(
            "curl",
            [
                "--silent", "--fail", "--noproxy", "*", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user",
                "\(key):\(secret)",
                "--request", "PUT", "\(url)/\(name)",
            ]
        )
    }
}
