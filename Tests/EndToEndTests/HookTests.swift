import BundleTesting
import Foundation
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
                try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))["kind"]?.string ?? ""
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
