import Testing

@testable import OfflineBundles

@Suite("Content that has arrived")
struct ReceivedContentTests {
    @Test("is read in the order of its arrival, however much of it is in a file, and holds little in memory")
    func order() throws {
        var (content, next, read) = (ReceivedContent(), UInt64(0), [UInt64]())
        func part() -> [UInt8] {
            defer { next += 1 }
            return withUnsafeBytes(of: next) { Array($0) } + [UInt8](repeating: 1, count: 99_992)
        }
        func take() throws {
            while let bytes = try content.take() { rest += bytes }
        }
        var rest: [UInt8] = []
        for round in [3, 30, 1, 0, 25] {
            for _ in 0..<round { try content.append(part()) }
            #expect(content.byteCount == Int64(round * 100_000))
            #expect(content.isFull == (round * 100_000 >= ReceivedContent.memoryByteCount))
            #expect(content.heldByteCount < ReceivedContent.memoryByteCount + 100_000)
            try take()
            #expect(content.isEmpty)
        }
        #expect(rest.count == Int(next) * 100_000)
        for start in stride(from: 0, to: rest.count, by: 100_000) {
            read.append(rest[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        #expect(read == Array(0..<next))
    }
}
