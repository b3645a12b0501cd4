import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import bundlectl

struct ConfigurationFileTests {
    @Test(
        arguments: [
            ("[]", "f.json: must be an object, but is a list"),
            (#"{"checkEvry": "15m"}"#, "f.json: checkEvry: no option has this key; did you mean “checkEvery”?"),
            (#"{"check-every": "15m"}"#, "f.json: check-every: no option has this key; did you mean “checkEvery”?"),
            (#"{"config": "a"}"#, "f.json: config: no option has this key; "),
            (#"{"printConfig": true}"#, "no option has this key; "),
            (#"{"checkEvery": 15}"#, "checkEvery: must be a string, such as \"15m\", but is a number"),
            (#"{"checkEvery": null}"#, "checkEvery: must be a string, such as \"15m\", but is null"),
            (#"{"mount": "shop=/"}"#, "mount: must be a list of strings, such as [\"shop=/\"], but is a string"),
            (#"{"mount": ["a=/", 1]}"#, "mount[1]: must be a string, but is a number"),
            (#"{"verbose": 1}"#, "verbose: must be true or false, but is a number"),
            (#"{"verbose": "true"}"#, "verbose: must be true or false, but is a string"),
            (#"{"maxConnections": "100"}"#, "maxConnections: must be a number, such as 2, but is a string"),
            (#"{"maxConnections": {"a": 1}}"#, "maxConnections: must be a number, such as 2, but is an object"),
            (#"{"offline": true, "offline": true}"#, "line 1, column 19"),
            ("{\n  \"offline\": true,\n}", "line 3, column 1"),
            ("", "f.json: "), ("{", "f.json: "),
        ]
    )
    func `a wrong file is refused with its name, the place and what is wanted`(text: String, message: String) {
        let error = #expect(throws: BundleError.self) { try ConfigurationFile.parse(Array(text.utf8), named: "f.json") }
        #expect(error?.code == .invalidArgument)
        #expect(error?.problem.contains(message) == true, "\(error?.problem ?? "")")
    }

    @Test func `a byte order mark, as editors write one, is accepted`() throws {
        _ = try ConfigurationFile.parse([0xEF, 0xBB, 0xBF] + Array("{}".utf8), named: "f.json")
    }

    @Test func `what is no regular file, or isn't there, is refused as a missing input`() async throws {
        try await withTemporaryDirectory { directory in
            let fifo = directory.path(of: "fifo")
            #expect(mkfifo(fifo, 0o600) == 0)
            for path in [fifo, directory.path, "/dev/zero", directory.path(of: "none.json")] {
                let error = #expect(throws: BundleError.self) { try ConfigurationFile.read(path) }
                #expect(error?.code == .inputUnavailable)
                #expect(error?.problem.contains("\(path) can't be read: ") == true)
            }
        }
    }

    @Test func `a file over 1 MiB is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let text = "{}" + String(repeating: " ", count: ConfigurationFile.maximumByteCount - 1)
            let path = try directory.write(Data(text.utf8), to: "serve.json")
            let error = #expect(throws: BundleError.self) { try ConfigurationFile.read(path) }
            #expect(error?.problem.contains("the limit is 1048576") == true)
            try Data(text.utf8.dropLast()).write(to: URL(fileURLWithPath: path))
            _ = try ConfigurationFile.read(path)
        }
    }
}
