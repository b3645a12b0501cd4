import BundleTesting
import Foundation

/// A program in a network namespace of its own, with one interface whose link can be cut. Network namespaces need no
/// privileges where the system allows users to have namespaces.
struct PrivateNetwork {
    private static let program = "/usr/bin/unshare"

    /// Whether the system has what it needs, and allows it.
    static let isPossible: Bool = {
        guard FileManager.default.isExecutableFile(atPath: program) else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-rn", "sh", "-c", "ip link add link0 type veth peer name link1"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private let process: ChildProcess
    private let commands: String

    /// Starts the program; the link is up.
    init(_ command: [String], in folder: TemporaryDirectory, _ environment: [String: String]) throws {
        commands = folder.path(of: "link")
        guard mkfifo(commands, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        // Open in both directions, a named pipe has no end.
        let script = """
            ip link set lo up && ip link add link0 type veth peer name link1 && ip address add 10.77.0.1/24 dev link0 &&
            ip link set link1 up && ip link set link0 up || exit 1
            exec 3<>"$1"; shift; "$@" 3>&- &
            while read -r state <&3; do ip link set link0 "$state"; done
            """
        process = try ChildProcess(
            Self.program,
            ["-rn", "sh", "-c", script, "sh", commands] + command,
            environment: environment
        )
    }

    /// Cuts the link, or mends it: `down` or `up`.
    func setLink(_ state: String) throws {
        try Data((state + "\n").utf8).write(to: URL(fileURLWithPath: commands))
    }

    /// Ends the program and its network.
    func end() {
        process.kill()
    }
}
