import Foundation
import HTTPTypes

/// An object store with the API of S3, as a process of its own on loopback, with an empty store. Safe to use from any number of tasks at
/// once.
package struct SeaweedFS: Sendable {
    private static let program = Project.path(".build/seaweedfs/bin/weed")

    /// Whether `scripts/fetch-seaweedfs` has installed it.
    package static let isInstalled = FileManager.default.fileExists(atPath: program)
    /// For a test that is skipped without it.
    package static let advice = "scripts/fetch-seaweedfs installs SeaweedFS"

    /// The server, `http://127.0.0.1:PORT`.
    package let url: String
    /// The variables of a publisher.
    package var environment: [String: String] {
        ["AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": Self.accessKey, "AWS_SECRET_ACCESS_KEY": Self.secretKey]
    }

    private static let (accessKey, secretKey) = ("PUBLISHER", "secret-of-the-publisher")

    /// Who may do what: the publisher everything, and anybody may read the bucket `public`.
    private static let identities = """
        {"identities": [
          {"name": "publisher", "credentials": [{"accessKey": "\(accessKey)", "secretKey": "\(secretKey)"}],
           "actions": ["Admin", "Read", "Write", "List"]},
          {"name": "anonymous", "actions": ["Read:public"]}
        ]}
        """

    /// Starts the server, passes it to `body` when it responds, and ends it.
    ///
    /// - Throws: As ``withChildProcess(_:_:environment:currentDirectory:isolation:_:)``, ``DeadlineExceeded``, and what `body` throws.
    package static func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SeaweedFS) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let roles = ["master", "volume", "filer", "s3"]
            let ports = try roles.map { _ in (http: try ReservedPort(), rpc: try ReservedPort()) }
            let identities = try directory.write(identities, to: "identities.json")
            try FileManager.default.createDirectory(
                atPath: directory.path(of: "data"),
                withIntermediateDirectories: true
            )
            var arguments = [
                "server", "-dir=\(directory.path(of: "data"))", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                "-master.telemetry=false",
                "-filer", "-filer.localSocket=\(directory.path(of: "f"))", "-s3",
                "-s3.localSocket=\(directory.path(of: "s"))",
                "-s3.config=\(identities)", "-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.autoCreateBucket=false",
            ]
            for (role, port) in zip(roles, ports) {
                arguments += ["-\(role).port=\(port.http.number)", "-\(role).port.grpc=\(port.rpc.number)"]
            }
            let server = SeaweedFS(url: "http://127.0.0.1:\(ports[3].http.number)")
            defer {
                // It makes them there, whatever its temporary folder is.
                for (role, port) in zip(roles, ports) { unlink("/tmp/seaweedfs-\(role)-grpc-\(port.rpc.number).sock") }
            }
            return try await withChildProcess(
                program,
                arguments,
                environment: ["HOME": directory.path, "TMPDIR": directory.path],
                currentDirectory: directory.path
            ) { process in
                try await eventually("SeaweedFS: \(process.errorOutput)", every: .milliseconds(50)) {
                    try await server.isReady()
                }
                return try await body(server)
            }
        }
    }

    private func isReady() async throws -> Bool {
        // curl(1), as what this tests isn't to be used to find out whether it can be tested.
        let result = try await ChildProcess.run("curl", ["--silent", "--fail", "--noproxy", "*", "\(url)/healthz"])
        return result.exitCode == 0
    }
}
