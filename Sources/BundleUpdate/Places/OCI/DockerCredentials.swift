import BundleModel
import Foundation
import HTTPCore

/// By what a registry knows its user. Its description has nothing of it. A value type; safe to share between threads.
package enum RegistryCredential: Hashable, Sendable, CustomStringConvertible {
    /// A user and a password.
    case basic(BasicCredential)
    /// A token of a provider of identities, by which the registry's token service makes others: a secret.
    case identityToken(String)

    /// Nil for what can't be sent.
    init?(user: String, secret: String) {
        // docker(1) and its helpers have this in the user's place.
        if user == "<token>" {
            self.init(identityToken: secret)
        } else {
            guard let credential = BasicCredential(user: user, password: secret) else { return nil }
            self = .basic(credential)
        }
    }

    init?(identityToken: String) {
        guard !identityToken.isEmpty, identityToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self = .identityToken(identityToken)
    }

    package var description: String { "the credential of a registry" }
}

/// What `docker login` and `podman login` have kept: the users and passwords of registries, or which program has them. Pure but for that
/// program, which a closure runs. Its description has nothing secret.
///
/// A value type; safe to share between threads.
package struct DockerCredentials: Sendable, CustomStringConvertible {
    /// How a program of a store of credentials has ended.
    package struct HelperResult: Sendable {
        let isSuccess: Bool
        let output: [UInt8]

        package init(isSuccess: Bool, output: [UInt8]) { (self.isSuccess, self.output) = (isSuccess, output) }
    }

    /// Runs `docker-credential-NAME get` with the registry on its standard input, within limits of time and length. Gets the program's
    /// name and the registry; throws ``/BundleModel/BundleError`` when the program can't be run.
    package typealias Helper = @Sendable (_ program: String, _ registry: String) async throws -> HelperResult

    /// How long a configuration may be in bytes.
    package static let maximumByteCount = 1 << 20
    /// None.
    package static let none = DockerCredentials()

    /// What a file says of one registry.
    private enum Entry: Sendable {
        case credential(RegistryCredential)
        case helper(String)
    }

    private var entries: [String: Entry] = [:]
    /// The program for all registries, nil for none.
    private var store: String?

    private init() {}

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: `config.json` of docker(1), or `auth.json` of podman(1).
    ///   - name: What messages call it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when it has another form. The message has nothing of its values.
    package init(parsing bytes: [UInt8], named name: String) throws(BundleError) {
        // A parser's message may quote what it has found.
        guard
            let root = try? JSONElement(
                parsing: bytes,
                named: name,
                maximumByteCount: Self.maximumByteCount,
                refusedAs: .invalidArgument
            ), case .object = root.value
        else { throw Self.refusal(name, "isn't a JSON object") }
        for (registry, element) in try root.member("auths")?.members() ?? [] {
            entries[Self.key(registry)] = try Self.credential(element, of: registry, in: name).map(Entry.credential)
        }
        for (registry, element) in try root.member("credHelpers")?.members() ?? [] {
            entries[Self.key(registry)] = .helper(try Self.program(element, in: name))
        }
        if let element = try root.member("credsStore"), element.value != .string("") {
            store = try Self.program(element, in: name)
        }
    }

    /// Where the files are: docker's, and podman's, in the order in which they count.
    ///
    /// - Parameter environment: `DOCKER_CONFIG`, `HOME` and `XDG_RUNTIME_DIR` of the process.
    package static func paths(in environment: [String: String]) -> [String] {
        func folder(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        return [
            (folder("DOCKER_CONFIG") ?? folder("HOME").map { "\($0)/.docker" }).map { "\($0)/config.json" },
            folder("XDG_RUNTIME_DIR").map { "\($0)/containers/auth.json" },
        ]
        .compactMap(\.self)
    }

    /// Reads those of these files that are there.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when one can't be read; `invalidArgument` as
    ///   ``init(parsing:named:)``.
    package init(files: [String]) throws(BundleError) {
        self = .none
        for path in files where FileManager.default.fileExists(atPath: path) {
            let bytes: Data
            do {
                let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
                bytes = try handle.read(upToCount: Self.maximumByteCount + 1) ?? Data()
            } catch {
                throw BundleError(
                    .inputUnavailable,
                    "\(Printable.line(path)) can't be read; correct its permissions",
                    cause: error
                )
            }
            self = followed(by: try DockerCredentials(parsing: Array(bytes), named: path))
        }
    }

    package var description: String { "the credentials of \(entries.count) registries" }

    /// The same, and what another file has of registries of which this one has nothing.
    package func followed(by other: DockerCredentials) -> DockerCredentials {
        var all = self
        all.entries.merge(other.entries) { own, _ in own }
        all.store = store ?? other.store
        return all
    }

    /// The credential of a registry; nil when there is none.
    ///
    /// - Parameter registry: Its host and port, see ``OCIReference/credentialKey``.
    /// - Throws: What `helper` throws; ``/BundleModel/BundleError`` with code `inputUnavailable` when the program fails, or what it writes
    ///   can't be read. The message has nothing of that.
    package func credential(for registry: String, running helper: Helper) async throws -> RegistryCredential? {
        switch entries[Self.key(registry)] {
        case .credential(let credential)?: return credential
        case .helper(let program)?: return try await Self.ask(program, registry, helper)
        case nil: return try await store.asyncMap { try await Self.ask($0, registry, helper) }
        }
    }

    private static func ask(_ program: String, _ registry: String, _ helper: Helper) async throws -> RegistryCredential?
    {
        let program = "docker-credential-\(program)"
        let result = try await helper(program, registry)
        guard result.isSuccess else {
            // The message that helpers agree on (docker-credential-helpers, `credentials/error.go`).
            if String(decoding: result.output, as: UTF8.self).contains("credentials not found") { return nil }
            throw BundleError(
                .inputUnavailable,
                "\(program) has no credential for \(registry) and failed; run “\(program) get” to see why"
            )
        }
        guard result.output.count <= maximumByteCount,
            let output = try? JSONDecoder().decode(HelperOutput.self, from: Data(result.output))
        else { throw BundleError(.inputUnavailable, "what \(program) writes isn't a credential; update it") }
        guard !output.username.isEmpty || !output.secret.isEmpty else { return nil }
        guard let credential = RegistryCredential(user: output.username, secret: output.secret) else {
            throw BundleError(
                .inputUnavailable,
                "\(program) has a credential for \(registry) that can't be sent; log in again"
            )
        }
        return credential
    }

    private struct HelperOutput: Decodable {
        let username: String
        let secret: String

        private enum CodingKeys: String, CodingKey {
            case username = "Username"
            case secret = "Secret"
        }
    }

    /// An entry without a credential says that a program has it.
    private static func credential(
        _ element: JSONElement,
        of registry: String,
        in name: String
    ) throws(BundleError) -> RegistryCredential? {
        func text(_ key: String) throws(BundleError) -> String? {
            guard let text = try element.member(key)?.string(), !text.isEmpty else { return nil }
            return text
        }
        let credential: RegistryCredential?
        if let token = try text("identitytoken") {
            credential = RegistryCredential(identityToken: token)
        } else if let encoded = try text("auth") {
            // Some programs pad it with NUL.
            let decoded = Data(base64Encoded: encoded).flatMap { String(bytes: $0, encoding: .utf8) }
            let parts =
                decoded?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) ?? []
            credential =
                parts.count == 2
                ? RegistryCredential(user: parts[0], secret: parts[1].trimmingCharacters(in: ["\0"])) : nil
        } else {
            guard let user = try text("username"), let password = try text("password") else { return nil }
            credential = RegistryCredential(user: user, secret: password)
        }
        guard let credential else {
            throw refusal(name, "has a credential for \(Printable.text(registry)) that can't be read")
        }
        return credential
    }

    /// A shell gets the name.
    private static func program(_ element: JSONElement, in name: String) throws(BundleError) -> String {
        let text = try element.string()
        guard !text.isEmpty, text.utf8.count <= 100,
            text.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "._-".utf8.contains($0) })
        else {
            throw refusal(name, "names a store of credentials that can't be the name of a program")
        }
        return text
    }

    /// docker(1) has kept registries by URLs at times, podman(1) has them by repository too, which isn't considered.
    private static func key(_ registry: String) -> String {
        let text = registry.lowercased()
        guard let scheme = text.range(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        return rest.hasPrefix("index.docker.io/") ? text : String(rest.prefix { $0 != "/" })
    }

    private static func refusal(_ name: String, _ problem: String) -> BundleError {
        BundleError(.invalidArgument, "\(Printable.line(name)) \(problem); log in to the registry again")
    }
}

extension Optional where Wrapped: Sendable {
    /// `map` for a function that waits.
    fileprivate func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result?) async throws -> Result? {
        if let self { try await transform(self) } else { nil }
    }
}
