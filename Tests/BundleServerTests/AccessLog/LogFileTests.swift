import BundleTesting
import Foundation
import Testing

@testable import BundleServer

@Suite("The access log's file", .enabled("mounting needs root") { await SmallFileSystem.isAvailable() })
struct LogFileTests {
    @Test("a line that a full disk has torn is ended before the next one begins")
    func tornLine() async throws {
        try await withSmallFileSystem(byteCount: 1 << 20) { system in
            let path = system.directory.path(of: "access.log")
            var file = try LogFile(path)
            defer { file.shut() }
            let first = file.write(Array("first\n".utf8))
            #expect(first == nil)
            try system.fill()
            let long = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 16) + [UInt8(ascii: "\n")]
            let torn = file.write(long)
            #expect((1..<long.count).contains(torn?.unwritten ?? 0))
            let lost = file.write(Array("lost\n".utf8))
            #expect(lost?.unwritten == 5)

            for name in try FileManager.default.contentsOfDirectory(atPath: system.directory.path)
            where name != "access.log" {
                try FileManager.default.removeItem(atPath: system.directory.path(of: name))
            }
            let next = file.write(Array("next\n".utf8))
            #expect(next == nil)
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines.last == "next")
        }
    }
}
