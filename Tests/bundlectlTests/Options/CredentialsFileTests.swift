import ArgumentParser
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes
import Testing

@testable import HTTPCore
@testable import bundlectl

@Suite("A file with credentials by origin")
struct CredentialsFileTests {
    @Test("has fields of any name, and tokens of any scheme")
    func fields() async throws {
        let json = """
            {"https://a.test": {"authorization": "Bearer one"}, "https://b.test:8443": {"authorization": "AWS4 x=y"},
             "https://c.test": {"header": {"name": "X-Token", "value": "two"}},
             "http://127.0.0.1:8080": {"authorization": "Token three", "header": {"name": "X-Id", "value": "four"}}}
            """
        try await withFile(json) { path throws in
            let file = try CredentialsFile(path)
            #expect(file.identities.isEmpty)
            for (url, fields) in [
                ("https://a.test/x", ["authorization": "Bearer one"]), ("https://b.test/x", [:]),
                ("https://b.test:8443/x", ["authorization": "AWS4 x=y"]), ("https://c.test/", ["x-token": "two"]),
                ("http://127.0.0.1:8080/", ["authorization": "Token three", "x-id": "four"]),
            ] {
                let sent = file.fields.fields(for: try #require(OriginTarget(url)))
                #expect(Dictionary(uniqueKeysWithValues: sent.map { ($0.name.canonicalName, $0.value) }) == fields)
            }
        }
    }

    @Test("has certificates, whose paths start at its folder, and whose keys others can't read")
    func certificates() async throws {
        try await withTemporaryDirectory { folder in
            let own = try TestCertificate.make("device", in: folder)
            let names = [own.certificate, own.key].map { URL(filePath: $0).lastPathComponent }
            let json = #"{"https://a.test:8443": {"certificate": "\#(names[0])", "key": "\#(names[1])"}}"#
            let path = try folder.write(json, to: "credentials.json")
            for file in [path, own.key] { try Self.set(0o600, file) }
            #expect(try CredentialsFile(path).identities.count == 1)
            try Self.set(0o644, own.key)
            let error = #expect(throws: BundleError.self) { try CredentialsFile(path) }
            #expect(error?.message.contains("\(names[1]) has a secret, and other users can read") == true)
        }
    }

    @Test("that others can read or the group can write is refused", arguments: [0o644, 0o604, 0o660])
    func modes(_ mode: Int) async throws {
        try await withFile(#"{"https://a.test": {"authorization": "secret"}}"#, mode: mode) { path throws in
            let error = #expect(throws: BundleError.self) { try CredentialsFile(path) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("other users can read or change it") == true)
        }
    }

    @Test(
        "of another form is refused by the place, without a secret",
        arguments: [
            (#"secret"#, ""), (#"["secret"]"#, ""), (#"{"https://a.test": "secret"}"#, "a.test"),
            (#"{"https://a.test": {"authorization": 7, "header": "secret"}}"#, "authorization"),
            (#"{"https://a.test": {"token": "secret"}}"#, "token"), (#"{"https://a.test": {}}"#, "says nothing"),
            (#"{"https://a.test": {"header": {"name": "X-A"}}}"#, "value"),
            (#"{"https://a.test": {"header": {"name": "Host", "value": "secret"}}}"#, "for themselves"),
            (#"{"http://a.test": {"authorization": "secret"}}"#, "in clear text"),
            (#"{"https://a.test/path": {"authorization": "secret"}}"#, "is not an origin"),
            (#"{"https://a.test": {"key": "secret.pem"}}"#, "needs its key"),
            (#"{"http://localhost": {"certificate": "a.pem", "key": "b.pem"}}"#, "over https only"),
            (#"{"https://a.test": {"authorization": "secret\n"}}"#, "other characters"),
        ]
    )
    func refused(_ json: String, _ text: String) async throws {
        try await withFile(json) { path throws in
            let error = #expect(throws: BundleError.self) { try CredentialsFile(path) }
            #expect(error?.code == .invalidArgument)
            #expect(text.isEmpty || error?.message.contains(text) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("secret\"") == false && error?.message.contains("secret”") == false)
        }
    }

    @Test("is named by the option before the variable, and an empty variable names none")
    func names() async throws {
        let target = try #require(OriginTarget("https://a.test/"))
        try await withFile(#"{"https://a.test": {"authorization": "one"}}"#) { path throws in
            for (arguments, variable, sent) in [
                ([], path, "one"), (["--credentials-file", path], "/none", "one"), ([], "", nil),
            ] as [([String], String, String?)] {
                let options = try NetworkAccessOptions.parse(arguments)
                let access = try options.read(environment: [CredentialsFile.variable: variable]) { _ in }
                #expect(access.credentials.fields(for: target)[.authorization] == sent)
            }
            let options = try NetworkAccessOptions.parse([])
            let error = #expect(throws: BundleError.self) {
                try options.read(environment: [CredentialsFile.variable: "/none"]) { _ in }
            }
            #expect(error?.code == .inputUnavailable)
        }
    }

    private func withFile(_ json: String, mode: Int = 0o600, _ body: (String) throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let path = try folder.write(json, to: "credentials.json")
            try Self.set(mode, path)
            try body(path)
        }
    }

    private static func set(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
