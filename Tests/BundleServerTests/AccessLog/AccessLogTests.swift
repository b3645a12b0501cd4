import BundleStore
import BundleTesting
import Foundation
import SystemPackage
import Testing

@testable import BundleServer

@Suite("Access log")
struct AccessLogTests {
    @Test("lines of many threads are complete, and none is missing at the end")
    func threads() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "access.log")
            let log = try AccessLog(path, format: .json, logger: RecordedLog().logger)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<1_000 { log.append(AccessLogFormatTests.record()) }
            }
            await log.finish()
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 8_000)
            #expect(Set(lines).count == 1)
            #expect(log.lostLineCount == 0)
        }
    }

    @Test("an existing file is appended to, and a new one isn't readable by others")
    func appended() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "access.log")
            for count in 1...2 {
                let log = try AccessLog(path, format: .combined, logger: RecordedLog().logger)
                log.append(AccessLogFormatTests.record())
                await log.finish()
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
            await log.finish()
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
            #expect(error?.message.contains("No such file or directory; choose another file") == true)
        }
    }

    @Test("a pipe that isn't read doesn't delay the end, and a later reader gets the last lines")
    func unreadPipe() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "pipe")
            try #require(mkfifo(path, 0o600) == 0)
            let pipe = try FileDescriptor.open(FilePath(path), .readWrite)
            defer { try? pipe.close() }
            let log = try AccessLog(
                path,
                format: .combined,
                logger: RecordedLog().logger,
                finishLimit: .milliseconds(1)
            )
            var record = AccessLogFormatTests.record()
            record.userAgent = .string(String(repeating: "a", count: 1 << 20))
            log.append(record)
            record.userAgent = .string("last")
            log.append(record)
            await log.finish()
            var bytes: [UInt8] = []
            while !bytes.suffix(7).elementsEqual("\"last\"\n".utf8) {
                bytes += try Self.read(pipe)
            }
            #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 2)
        }
    }

    private static func read(_ file: FileDescriptor) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    @Test("the version that was sent is logged", arguments: ["1.0", "1.1"])
    func version(_ version: String) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder.path(of: "access.log")
            try await withStore { store in
                try store.installShop()
                try await withEndpoint(store, configure: { $0.accessLogPath = path }) { endpoint async throws in
                    let response = try await endpoint.request("GET /shop/app.js HTTP/\(version)", ["Host: localhost"])
                    #expect(response.status == 200)
                }
            }
            let line = try String(contentsOfFile: path, encoding: .utf8)
            #expect(line.contains("\"GET /shop/app.js HTTP/\(version)\" 200 "))
        }
    }

    #if os(Linux)
        @Test("lines that can't be written are counted, and reported once")
        func fullDisk() async throws {
            let messages = RecordedLog()
            let log = try AccessLog("/dev/full", format: .combined, logger: messages.logger)
            for _ in 0..<3 { log.append(AccessLogFormatTests.record()) }
            await log.finish()
            #expect(log.lostLineCount == 3)
            #expect(messages.lines.count == 1)
            #expect(messages.lines.first?.contains("No space left on device") == true)
        }
    #endif
}
