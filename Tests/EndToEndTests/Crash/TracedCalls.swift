import BundleTesting
import Foundation

/// The system calls of a program that change a folder, as strace(1) reports them: everything that reaches the kernel,
/// by any way.
struct TracedCalls {
    /// The changes, in the terms of ``FaultStep``: operation and path, once for each call.
    let changes: [String]
    /// Calls that no entry of the log can represent.
    let untold: [String]

    /// Whether strace is installed and may trace.
    static func isPossible() async -> Bool {
        let result = try? await ChildProcess.run("strace", ["-qq", "-o", "/dev/null", "true"])
        return result?.exitCode == 0
    }

    /// The arguments for strace, before the program: one file for each thread, descriptors with their paths.
    static func options(output prefix: String, environment: [String: String]) -> [String] {
        let names = (operations.keys + untellable).sorted().map { "?\($0)" }.joined(separator: ",")
        return ["-ff", "-qq", "-y", "-s", "0", "-o", prefix, "-e", "trace=\(names)"]
            + environment.flatMap { ["-E", "\($0.key)=\($0.value)"] }
    }

    /// Reads the output of strace.
    ///
    /// - Parameters:
    ///   - prefix: As for ``options(output:environment:)``.
    ///   - folder: The folder whose changes count.
    ///   - present: The files that existed before: opening one doesn't create it.
    init(output prefix: String, below folder: String, present: Set<String>) throws {
        let parent = URL(fileURLWithPath: prefix).deletingLastPathComponent().path
        let lines = try FileManager.default.contentsOfDirectory(atPath: parent)
            .map { "\(parent)/\($0)" }
            .filter { $0.hasPrefix(prefix + ".") }
            .flatMap { try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n").map(String.init) }
            .filter { $0.contains(folder) && !$0.contains(" = -1 ") }
        var made = present
        var changes: [String] = []
        var untold: [String] = []
        for line in lines {
            let name = line.prefix { $0 != "(" }
            guard let path = Self.path(in: line) else { continue }
            let relative = path == folder ? "." : String(path.dropFirst(folder.count + 1))
            if Self.untellable.contains(String(name)) {
                if Self.isTold(line, path) { continue }
                untold.append(line)
            } else if Self.operations[String(name)] == "create" {
                if line.contains("O_CREAT"), made.insert(relative).inserted { changes.append("create \(relative)") }
            } else {
                changes.append("\(Self.operations[String(name)] ?? "") \(relative)")
            }
        }
        self.changes = changes
        self.untold = untold
    }

    /// The path that a call works on: a name, relative to the folder whose descriptor may precede it, otherwise the
    /// path of the descriptor.
    private static func path(in line: String) -> String? {
        let opened = line.firstMatch(of: /<(\/[^>]*)>/).map { String($0.output.1) }
        guard let name = line.firstMatch(of: /"([^"]+)"/).map({ String($0.output.1) }) else { return opened }
        return name.hasPrefix("/") ? name : opened.map { "\($0)/\(name)" }
    }

    /// SQLite's shared memory is rebuilt when no process has it open, and a file without a name is gone with its process, so
    /// writes to them need no step.
    private static func isTold(_ line: String, _ path: String) -> Bool {
        let isLasting = !path.hasSuffix("-shm") && !line.contains(">(deleted)")
        return line.hasPrefix("mmap(") && !(line.contains("PROT_WRITE") && line.contains("MAP_SHARED") && isLasting)
    }

    private static let operations = [
        "open": "create", "openat": "create", "openat2": "create", "creat": "create",
        "mkdir": "mkdir", "mkdirat": "mkdir", "link": "link", "linkat": "link", "symlink": "symlink",
        "symlinkat": "symlink", "rename": "rename", "renameat": "rename", "renameat2": "rename", "unlink": "unlink",
        "unlinkat": "unlink", "rmdir": "rmdir", "write": "write", "pwrite64": "write", "writev": "write",
        "pwritev": "write", "copy_file_range": "copy", "sendfile": "copy", "ftruncate": "resize", "truncate": "resize",
        "fallocate": "allocate", "chmod": "chmod", "fchmod": "chmod", "fchmodat": "chmod", "chown": "chown",
        "fchown": "chown", "utimensat": "utimes", "fsync": "sync", "fdatasync": "sync", "syncfs": "sync",
    ]

    private static let untellable = [
        "mmap", "mknod", "mknodat", "pwritev2", "splice", "vmsplice", "msync", "lchown", "fchownat", "utime", "utimes",
        "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
        "io_uring_setup", "io_submit",
    ]
}
