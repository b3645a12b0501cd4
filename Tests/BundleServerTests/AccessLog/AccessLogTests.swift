import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleServer

@Suite("Access log")
struct AccessLogTests {
    @Test("lines of many threads are whole, and all there in the end")
    func threads() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "access.log")
            let log = try AccessLog(path, format: .json, logger: RecordedLog().logger)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<1_000 { log.append(AccessLogFormatTests.record()) }
            }
            log.finish()
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 8_000)
            #expect(Set(lines).count == 1)
            #expect(log.lostLineCount == 0)
        }
    }

    @Test("an existing file is appended to, and a new one isn't for everybody's eyes")
    func appended() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "access.log")
            for count in 1...2 {
                let log = try AccessLog(path, format: .combined, logger: RecordedLog().logger)
                log.append(AccessLogFormatTests.record())
                log.finish()
                #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == count)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
            #expect(mode & 0o007 == 0)
        }
    }

    @Test("after a rotation lines go to the new file")
    func rotated() async throws {
        try await withTemporaryDirectory { folder in
            let (path, former) = (folder.path(of: "access.log"), folder.path(of: "access.log.1"))
            let log = try AccessLog(path, format: .combined, logger: RecordedLog().logger)
            try FileManager.default.moveItem(atPath: path, toPath: former)
            log.reopen()
            log.append(AccessLogFormatTests.record())
            log.finish()
            #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 1)
            #expect(try String(contentsOfFile: former, encoding: .utf8).isEmpty)
        }
    }

    @Test("a file that can't be opened is refused with the reason")
    func refused() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "no/access.log")
            let error = #expect(throws: BundleError.self) {
                try AccessLog(path, format: .json, logger: RecordedLog().logger)
            }
            #expect(error?.code == .outputUnavailable)
            #expect(error?.message.contains("No such file or directory; choose another file with --access-log") == true)
        }
    }

    #if os(Linux)
        @Test("lines that can't be written are counted and told of, once")
        func fullDisk() throws {
            let messages = RecordedLog()
            let log = try AccessLog("/dev/full", format: .combined, logger: messages.logger)
            for _ in 0..<3 { log.append(AccessLogFormatTests.record()) }
            log.finish()
            #expect(log.lostLineCount == 3)
            #expect(messages.lines.count == 1)
            #expect(messages.lines.first?.contains("No space left on device") == true)
        }
    #endif
}
