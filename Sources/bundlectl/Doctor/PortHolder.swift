import Foundation

/// The process that listens at a TCP port, as far as Linux tells this user.
struct PortHolder: Equatable {
    /// More processes aren't looked through.
    private static let maximumProcessCount = 10_000

    let process: Int
    let name: String

    /// Nil when nobody listens there, or it is another user's process.
    init?(port: Int) {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        let sockets = Set(tables.flatMap { Self.sockets(listeningAt: port, in: $0) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty, let process = Self.process(with: sockets) else { return nil }
        self.process = process
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        self.name = name?.trimmingCharacters(in: .newlines) ?? "?"
    }

    /// The inodes of the sockets in state 0A (listen) at a port, in a table of proc(5). Pure.
    static func sockets(listeningAt port: Int, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count > 9, columns[3] == "0A", let own = columns[1].split(separator: ":").last,
                Int(own, radix: 16) == port
            else { return nil }
            return String(columns[9])
        }
    }

    private static func process(with sockets: Set<String>) -> Int? {
        let files = FileManager.default
        let processes = (try? files.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int($0) } ?? []
        return processes.prefix(maximumProcessCount).first { process in
            let folder = "/proc/\(process)/fd"
            let descriptors = (try? files.contentsOfDirectory(atPath: folder)) ?? []
            return descriptors.contains { descriptor in
                (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")).map(sockets.contains) == true
            }
        }
    }
}
