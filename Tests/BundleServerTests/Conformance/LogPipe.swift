import BundleTesting
import Foundation
import SystemPackage

/// A named pipe, and the lines that have been written to it. ``close()`` must be called at the end.
final class LogPipe: Sendable {
    let path: String
    private let lines = Monitor<[String]>([])
    private let descriptor: CInt

    init(at path: String) throws {
        self.path = path
        guard mkfifo(path, 0o600) == 0 else { throw Errno(rawValue: errno) }
        // With a writer of its own it doesn't end when others do.
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        Thread.detachNewThread { [self] in read() }
    }

    /// Waits for a line; the first one has the number 0.
    func line(_ number: Int) async throws -> String {
        try await lines.wait(for: "line \(number)", deadline: .seconds(30)) { $0.count > number ? $0[number] : nil }
    }

    func close() {
        // Nobody else writes an empty line: it ends the thread.
        _ = try? FileDescriptor(rawValue: descriptor).writeAll([UInt8(ascii: "\n")])
    }

    private func read() {
        var received: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4 << 10)
        while true {
            let count = Foundation.read(descriptor, &block, block.count)
            guard count > 0 else { break }
            received += block[..<count]
            while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                guard end > 0 else {
                    _ = Foundation.close(descriptor)
                    return
                }
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                lines.update { $0.append(line) }
            }
        }
    }
}
