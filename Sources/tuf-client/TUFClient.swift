import ArgumentParser
import BundleModel
import BundleTransport
import BundleTrust
import Foundation
import HTTPCore
import HTTPTypes

/// The `tuf-client` command: the client of TUF alone, for the suite of the specification's authors
/// (<https://github.com/theupdateframework/tuf-conformance>, CLIENT-CLI.md).
@main
struct TUFClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tuf-client",
        abstract: "Update trusted metadata and download targets, as tuf-conformance asks for it.",
        discussion: """
            The time is that of the variable TUF_CLIENT_TIME, in seconds since 1970, if it is set.

            Example: tuf-client --metadata-dir trusted --metadata-url http://localhost:8080/metadata refresh
            """
    )

    enum Verb: String, ExpressibleByArgument, CaseIterable {
        case `init`, refresh, download
    }

    @Option(help: "The folder of the trusted metadata.", completion: .directory)
    var metadataDir: String

    @Option(help: "The URL of the repository's metadata.")
    var metadataURL: String?

    @Option(help: "The path of a target; may be repeated.")
    var targetName: [String] = []

    @Option(help: "The URL of the repository's targets.")
    var targetBaseURL: String?

    @Option(help: "The folder of the downloaded targets.", completion: .directory)
    var targetDir: String?

    @Argument(help: "init, refresh or download.")
    var verb: Verb

    @Argument(help: "With init: the trusted root.", completion: .file())
    var root: String?

    func run() async throws {
        do {
            try await carryOut()
        } catch {
            FileHandle.standardError.write(Data("tuf-client: \(error)\n".utf8))
            throw ExitCode(1)
        }
    }

    private func carryOut() async throws {
        let folder = MetadataFolder(path: metadataDir)
        guard verb != .`init` else {
            return try folder.keep(Self.contents(of: required(root, "ROOT")), of: .root, version: 1, dropping: [])
        }
        let server = RepositoryServer(metadata: try required(metadataURL, "--metadata-url"))
        var workflow = try TrustWorkflow(server, folder, at: Self.now)
        try await workflow.refresh()
        guard verb == .download else { return }
        for name in targetName { try await download(TargetPath(name), workflow, server) }
    }

    private func download(_ path: TargetPath, _ workflow: TrustWorkflow, _ server: RepositoryServer) async throws {
        guard let (target, _) = try await workflow.target(path) else {
            throw TrustError(.missing, path.description, "isn't among the targets")
        }
        let folder = URL(fileURLWithPath: try required(targetDir, "--target-dir"), isDirectory: true)
        let file = folder.appendingPathComponent(PercentEncoding.encode(component: path.description))
        if let bytes = try? Self.contents(of: file.path),
            (try? target.file.verify(bytes, named: path.description)) != nil
        {
            return
        }
        let place = try target.filePath(path, isConsistentSnapshot: workflow.state.root.isConsistentSnapshot)
        let base = try required(targetBaseURL, "--target-base-url")
        let limit = target.file.byteCount ?? 0
        guard let bytes = try await server.bytes(below: base, place, atMost: limit) else {
            throw TrustError(.missing, path.description, "isn't in the repository")
        }
        try target.file.verify(bytes, named: path.description)
        try Data(bytes).write(to: file, options: .atomic)
    }

    private func required(_ value: String?, _ name: String) throws -> String {
        guard let value else { throw ValidationError("\(name) is missing") }
        return value
    }

    static func contents(of path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static var now: Date {
        let seconds = ProcessInfo.processInfo.environment["TUF_CLIENT_TIME"].flatMap(Double.init)
        return seconds.map { Date(timeIntervalSince1970: $0) } ?? Date()
    }
}

/// The trusted metadata in a folder, a file for each role.
private struct MetadataFolder: MetadataKeeper {
    let path: String

    func document(of role: RoleName) throws -> [UInt8]? {
        let file = "\(path)/\(role.fileName)"
        return FileManager.default.fileExists(atPath: file) ? try TUFClient.contents(of: file) : nil
    }

    func keep(_ bytes: [UInt8], of role: RoleName, version: Int, dropping others: [RoleName]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for role in others { try? FileManager.default.removeItem(atPath: "\(path)/\(role.fileName)") }
        try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(role.fileName)"), options: .atomic)
    }
}

/// A repository on a server.
private struct RepositoryServer: MetadataRepository {
    let metadata: String
    private let transport = NIOTransport()

    init(metadata: String) {
        self.metadata = metadata
    }

    func document(_ request: MetadataRequest) async throws -> [UInt8]? {
        try await bytes(below: metadata, request.fileName, atMost: request.maximumByteCount)
    }

    /// - Returns: Nil for 403 and 404, which servers of files have for what isn't there.
    func bytes(below base: String, _ path: String, atMost limit: Int) async throws -> [UInt8]? {
        let url = "\(base.hasSuffix("/") ? base : base + "/")\(path)"
        guard let components = URLComponents(string: url), let host = components.percentEncodedHost else {
            throw TrustError(.missing, url, "isn't a URL")
        }
        let authority = components.port.map { "\(host):\($0)" } ?? host
        let request = HTTPRequest(
            method: .get,
            scheme: components.scheme,
            authority: authority,
            path: components.percentEncodedPath
        )
        let response = try await transport.send(OriginCall(request))
        switch response.head.status.code {
        case 200: break
        case 403, 404: return nil
        default: throw TrustError(.missing, url, "has status \(response.head.status)")
        }
        var bytes: [UInt8] = []
        for try await chunk in response.body {
            bytes += chunk
            guard bytes.count <= limit else { throw TrustError(.tooLarge, url, "has more than \(limit) bytes") }
        }
        return bytes
    }
}
