import BundleModel
import BundleTesting
import Foundation
import HTTPCore
import Testing

@testable import BundleUpdate

/// What is read of docker's and podman's configuration.
struct DockerCredentialsTests {
    private static let nobody: DockerCredentials.Helper = { program, _ in
        Issue.record("\(program) isn't run")
        return DockerCredentials.HelperResult(isSuccess: false, output: [])
    }

    private static func parse(_ text: String) throws -> DockerCredentials {
        try DockerCredentials(parsing: Array(text.utf8), named: "config.json")
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func basic(_ user: String, _ password: String) -> RegistryCredential? {
        BasicCredential(user: user, password: password).map(RegistryCredential.basic)
    }

    @Test(arguments: [
        ("r.example", basic("u", "p:w")), ("r.example:5000", basic("u2", "")),
        ("https://index.docker.io/v1/", basic("hub", "x")),
        ("old.example", basic("u", "p")), ("token.example", RegistryCredential.identityToken("abc")),
        ("plain.example", basic("user", "word")), ("padded.example", basic("u", "p")), ("R.EXAMPLE", basic("u", "p:w")),
        ("other.example", nil), ("helped.example", nil),
    ])
    func `the credential of a registry is found`(_ registry: String, _ expected: RegistryCredential?) async throws {
        let text = """
            {"auths": {"r.example": {"auth": "\(Self.base64("u:p:w"))"}, "r.example:5000": {"auth": "\(Self.base64("u2:"))"},
            "https://index.docker.io/v1/": {"auth": "\(Self.base64("hub:x"))"},
            "https://old.example/v1/": {"auth": "\(Self.base64("u:p"))"},
            "token.example": {"auth": "\(Self.base64("00000000-0000-0000-0000-000000000000:"))", "identitytoken": "abc"},
            "plain.example": {"username": "user", "password": "word"}, "padded.example": {"auth": "\(Self.base64("u:p\0\0"))"},
            "helped.example": {}}, "HttpHeaders": {"X": "y"}, "currentContext": "default"}
            """
        #expect(try await Self.parse(text).credential(for: registry, running: Self.nobody) == expected)
    }

    @Test(arguments: [
        "", "[]", "secret", #"{"auths": ["secret"]}"#, #"{"auths": {"r": {"auth": "secret!"}}}"#,
        #"{"auths": {"r": {"auth": "c2VjcmV0"}}}"#, #"{"auths": {"r": {"auth": 7}}}"#, #"{"auths": {"r": "secret"}}"#,
        #"{"auths": {"r": {"identitytoken": "sec\nret"}}}"#, #"{"credsStore": "a; touch secret"}"#,
        #"{"credsStore": 7}"#,
        #"{"credHelpers": {"r": "../secret"}}"#, #"{"auths": {"r": {"username": "secret:x", "password": "\u0000"}}}"#,
    ])
    func `a refusal shows nothing of what is in the file`(_ text: String) {
        let error = #expect(throws: BundleError.self) { try Self.parse(text) }
        #expect(error?.code == .invalidArgument && error?.message.contains("config.json") == true)
        #expect(error?.message.contains("secret") == false && error?.message.contains("c2Vj") == false)
    }

    @Test func `a registry's program is asked before that for all, with the registry alone`() async throws {
        let asked = Monitor<[String]>([])
        let helper: DockerCredentials.Helper = { program, registry in
            asked.update { $0.append("\(program) \(registry)") }
            return DockerCredentials.HelperResult(
                isSuccess: true,
                output: Array(#"{"ServerURL":"x","Username":"u","Secret":"s"}"#.utf8)
            )
        }
        let credentials = try Self.parse(
            #"{"credHelpers": {"r.example": "pass"}, "credsStore": "secretservice", "#
                + #""auths": {"own.example": {"auth": "\#(Self.base64("a:b"))"}}}"#
        )
        #expect(try await credentials.credential(for: "r.example", running: helper) == Self.basic("u", "s"))
        #expect(try await credentials.credential(for: "s.example", running: helper) == Self.basic("u", "s"))
        #expect(try await credentials.credential(for: "own.example", running: helper) == Self.basic("a", "b"))
        #expect(asked.state == ["docker-credential-pass r.example", "docker-credential-secretservice s.example"])
    }

    @Test(arguments: [
        (false, "credentials not found in native keychain\n", true), (false, "the secret is locked", false),
        (true, "secret", false), (true, #"{"Username":"secret"}"#, false),
        (true, #"{"Username":"a:secret","Secret":"x"}"#, false),
        (true, #"{"Username":"","Secret":""}"#, true),
    ])
    func `a program that has no credential is none, and one that fails an error without its output`(
        _ isSuccess: Bool,
        _ output: String,
        _ isNone: Bool
    ) async throws {
        let credentials = try Self.parse(#"{"credsStore": "pass"}"#)
        let helper: DockerCredentials.Helper = { _, _ in
            DockerCredentials.HelperResult(isSuccess: isSuccess, output: Array(output.utf8))
        }
        if isNone {
            #expect(try await credentials.credential(for: "r.example", running: helper) == nil)
        } else {
            let error = await #expect(throws: BundleError.self) {
                try await credentials.credential(for: "r.example", running: helper)
            }
            #expect(error?.code == .inputUnavailable && error?.message.contains("secret") == false)
            #expect(error?.message.contains("docker-credential-pass") == true)
        }
    }

    @Test func `a program's token is one`() async throws {
        let credentials = try Self.parse(#"{"credsStore": "acr"}"#)
        let credential = try await credentials.credential(for: "r.example") { _, _ in
            DockerCredentials.HelperResult(
                isSuccess: true,
                output: Array(#"{"Username":"<token>","Secret":"abc"}"#.utf8)
            )
        }
        #expect(credential == .identityToken("abc"))
        #expect(credential.map { "\($0)" } == "the credential of a registry")
    }

    @Test func `docker's file counts before podman's, and one that isn't there is none`() async throws {
        try await withTemporaryDirectory { directory in
            let environment = [
                "DOCKER_CONFIG": directory.path(of: "docker"), "HOME": "/home/x",
                "XDG_RUNTIME_DIR": directory.path(of: "run"),
            ]
            let paths = DockerCredentials.paths(in: environment)
            #expect(
                paths == [directory.path(of: "docker/config.json"), directory.path(of: "run/containers/auth.json")]
            )
            #expect(
                DockerCredentials.paths(in: ["HOME": "/home/x", "DOCKER_CONFIG": ""]) == ["/home/x/.docker/config.json"]
            )
            func auths(_ auths: [String: String]) -> String {
                let entries = auths.map { #""\#($0)": {"auth": "\#(Self.base64($1))"}"# }.sorted()
                return #"{"auths": {\#(entries.joined(separator: ","))}}"#
            }
            try directory.write(
                auths(["both.example": "podman:p", "podman.example": "podman:p"]),
                to: "run/containers/auth.json"
            )
            func found(_ registry: String) async throws -> RegistryCredential? {
                try await DockerCredentials(files: paths).credential(for: registry, running: Self.nobody)
            }
            #expect(try await found("both.example") == Self.basic("podman", "p"))
            try directory.write(auths(["both.example": "docker:p"]), to: "docker/config.json")
            #expect(try await found("both.example") == Self.basic("docker", "p"))
            #expect(try await found("podman.example") == Self.basic("podman", "p"))
        }
    }
}
