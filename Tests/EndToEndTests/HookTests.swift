import BundleTesting
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// `--on-event` and `--webhook`, by the real binary.
struct HookTests {
    @Test func `a command gets each event of an update as JSON, in order`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let log = publisher.directory.path(of: "events")
            let update = try await bundlectl("update", "--on-event", "cat >> '\(log)'", "--json")
            #expect(update.exitCode == 0)
            #expect(update.errorOutput == "")
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            let kinds = try lines.map { line in
                try JSONDecoder().decode(AnyJSON.self, from: Data(line.utf8))["kind"]?.string ?? ""
            }
            #expect(kinds == ["checked", "decided", "fetched", "installed", "activated"])
        }
    }

    @Test func `a command inherits no secrets, no descriptors, and a process group of its own`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.0.0", with: bundlectl)
            let log = publisher.directory.path(of: "seen")
            let command = "{ env; ls -l /proc/$$/fd; ps -o pid=,pgid= -p $$ | sed 's/^/group /'; } >> '\(log)'"
            let result = try await ChildProcess.run(
                Bundlectl.path,
                ["check", "--on-event", command],
                environment: bundlectl.environment.merging(["SECRET_TOKEN": "hidden"]) { _, new in new }
            )
            #expect(result.exitCode == 0)
            let seen = try String(contentsOfFile: log, encoding: .utf8)
            #expect(!seen.contains("hidden"))
            #expect(seen.contains("BUNDLECTL_STORE=\(bundlectl.store)"))
            #expect(!seen.contains("catalog.sqlite"))
            let descriptors = seen.split(separator: "\n").filter { $0.contains(" -> ") }
                .compactMap { $0.split(separator: " ").dropLast(2).last.flatMap { Int($0) } }
            #expect(descriptors.filter { $0 > 2 && $0 < 10 }.isEmpty, "\(seen)")
            let group = try #require(seen.split(separator: "\n").first { $0.hasPrefix("group") }).split(separator: " ")
            #expect(group[1] == group[2])
        }
    }

    /// The pipe is open for as long as a process of the command has it.
    @Test(arguments: ["", "exit 3", "kill -9 $$"])
    func `what a command leaves in the background ends with it`(end: String) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.0.0", with: bundlectl)
            let pipe = publisher.directory.path(of: "pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let reader = try ChildProcess("/bin/cat", [pipe])
            _ = try await bundlectl("check", "--on-event", "exec 3> '\(pipe)'; sleep 3600 & \(end)")
            #expect(try await reader.wait().exitCode == 0)
        }
    }

    @Test(arguments: ["exit 3", "kill -9 $$", "/there/is/no/such/program", "exec <&-; exit 1"])
    func `a command that fails changes nothing of the update`(command: String) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let update = try await bundlectl("update", "--on-event", command)
            #expect(update.exitCode == 0)
            #expect(update.output.contains("1.1.0"))
            #expect(update.errorOutput.contains("--on-event"))
        }
    }

    @Test func `what a feed says reaches a command on its standard input alone`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            let trap = publisher.directory.path(of: "trap")
            let key = "$(touch '\(trap)')`touch '\(trap)'`'; touch '\(trap)'; '"
            try publisher.directory.write("{\"name\": \"shop\", \"\(key)\": 1", to: "site/releases/feed.json")
            _ = try await bundlectl("check", "--on-event", "cat > /dev/null")
            #expect(!FileManager.default.fileExists(atPath: trap))
        }
    }

    @Test func `a webhook gets the same events`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let bodies = Mutex<[String]>([])
            let receiver = OriginServer()
            receiver.route(
                "/hook",
                receiving: { _, bytes in
                    bodies.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                    return ScriptedResponse("")
                }
            )
            try await receiver.start()
            let update = try await bundlectl("update", "--webhook", receiver.baseURL + "/hook")
            await receiver.stop()
            #expect((update.exitCode, update.errorOutput) == (0, ""))
            let kinds = bodies.withLock(\.self).map { $0.matches(of: /"kind":"(\w+)"/).first?.output.1 ?? "" }
            #expect(kinds == ["checked", "decided", "fetched", "installed", "activated"])
        }
    }

    @Test
    func `a webhook's events have installation, labels and fields, and are verified as documented`()
        async throws
    {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let received = Mutex<[(fields: HTTPFields, body: [UInt8])]>([])
            let receiver = OriginServer()
            receiver.route(
                "/hook",
                receiving: { request, bytes in
                    let count = received.withLock { received in
                        received.append((request.headerFields, bytes))
                        return received.count
                    }
                    // The first attempt fails, and is repeated.
                    return count == 1
                        ? ScriptedResponse("no", status: .serviceUnavailable) : ScriptedResponse("")
                }
            )
            try await receiver.start()
            let secret =
                "whsec_" + Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
            let files = try [(secret, "secret"), ("Authorization: Bearer abc", "fields")].map {
                content,
                name in
                let path = try publisher.directory.write(content + "\n", to: name)
                #expect(chmod(path, 0o600) == 0)
                return path
            }
            let options = [
                "--webhook", receiver.baseURL + "/hook", "--webhook-secret-file", files[0],
                "--webhook-header-file", files[1],
                "--webhook-label", "site=berlin", "--webhook-label", "room=12 b",
            ]
            let update = try await bundlectl.run(["update"] + options)
            await receiver.stop()
            #expect((update.exitCode, update.errorOutput) == (0, ""))
            let messages = received.withLock(\.self)
            #expect(messages.count == 6)
            func value(_ name: String, _ index: Int) throws -> String {
                let name = try #require(HTTPField.Name(name))
                return try #require(messages[index].fields[name])
            }
            #expect(try value("webhook-id", 0) == value("webhook-id", 1))
            #expect(try Set((1..<6).map { try value("webhook-id", $0) }).count == 5)
            var installations: Set<String> = []
            for (index, message) in messages.enumerated() {
                #expect(message.fields[.authorization] == "Bearer abc")
                let event = try JSONDecoder().decode(AnyJSON.self, from: Data(message.body))
                installations.insert(event["installation"]?.string ?? "")
                #expect(event["labels"]?["site"]?.string == "berlin")
                #expect(event["labels"]?["room"]?.string == "12 b")
                let names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
                let fields = try names.map { try "\($0)=" + value($0, index) }
                for (body, verdict) in [(message.body, "True"), (message.body + [10], "False")] {
                    let text = String(decoding: body, as: UTF8.self)
                    let result = try await ChildProcess.run(
                        "python3",
                        ["-c", Self.verification(), secret, text] + fields
                    )
                    #expect(result.output == verdict + "\n", "\(result.errorOutput)")
                }
            }
            #expect(installations.count == 1)
            #expect(installations.first?.count == 32)
        }
    }

    /// The program in the documentation, called with a secret, a body and fields.
    private static func verification() throws -> String {
        let page = String(
            decoding: try Project.contents("Sources/bundlectl/bundlectl.docc/Hooks.md"),
            as: UTF8.self
        )
        let code = try #require(
            page.split(separator: "```python\n").last?.split(separator: "```").first
        )
        let call = """
            import sys
            fields = dict(field.split("=", 1) for field in sys.argv[3:])
            print(is_genuine(sys.argv[1], fields, sys.argv[2].encode()))
            """
        return code + "\n" + call
    }

    @Test(
        arguments: [
            (["--webhook-label", "site=a"], 64, "--webhook-label is for --webhook"),
            (["--webhook", "https://a.example/", "--webhook-label", "a"], 64, "--webhook-label"),
            (
                ["--webhook", "https://a.example/", "--webhook-label", "a=1", "--webhook-label", "a=2"], 64,
                "given twice"
            ),
            (
                ["--webhook", "https://a.example/", "--webhook-secret-file", "FILE"], 64,
                "isn't a webhook's secret"
            ),
            (["--webhook", "https://a.example/", "--webhook-header-file", "FILE"], 64, "line 1 of"),
            (
                ["--webhook", "https://a.example/", "--webhook-header-file", "FILE.missing"], 66,
                "can't be read"
            ),
        ] as [([String], Int32, String)]
    )
    func `what a webhook can't be given is refused before anything is done`(
        options: [String],
        status: Int32,
        reason: String
    ) async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let file = try publisher.directory.write("hidden\n", to: "file")
            #expect(chmod(file, 0o600) == 0)
            let result = try await bundlectl.run(
                ["update"] + options.map { $0.replacing("FILE", with: file) }
            )
            #expect(result.exitCode == status)
            #expect(result.errorOutput.contains(reason), "\(result.errorOutput)")
            #expect(!result.errorOutput.contains("hidden"))
            #expect(
                try await bundlectl.json("list")["bundles"]?.array?.first?["active"]?.string == "1.0.0"
            )
        }
    }

    @Test func `a webhook that nobody receives changes nothing of the check`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.0.0", with: bundlectl)
            let receiver = OriginServer()
            try await receiver.start()
            let check = try await bundlectl("check", "--webhook", receiver.baseURL + "/hook")
            await receiver.stop()
            #expect(check.exitCode == 0)
            #expect(check.errorOutput.contains("--webhook: it responded with 404"))
        }
    }

    @Test func `a server tells a command of what it does`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await bundlectl.expect(0, "install", publisher.archive("1.0.0"))
            try await publisher.publish("1.1.0", with: bundlectl)
            let options = ["--check-every", "1s", "--on-event", "cat >&2"]
            try await bundlectl.serving(options) { _, server in
                try await server.waitForErrorOutput(containing: "activated")
            }
        }
    }
}
