import BundleModel
import BundleTesting
import Foundation
import Testing

@testable import BundleTrust

@Suite("Canonical JSON, beside that of python-tuf", .timeLimit(.minutes(5)))
struct PythonCanonicalJSONTests {
    private static let count = 100_000

    @Test(
        "is the same, byte for byte, for 100,000 random documents",
        .enabled(if: PythonTUF.isInstalled, "\(PythonTUF.advice)")
    )
    func documents() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.path(of: "documents")
            let python = try await PythonTUF.run("canonical", [file, String(Self.count)])
            #expect(python.exitCode == 0, "\(python.errorOutput)")
            var texts = Texts(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: file))))
            var count = 0
            while let document = texts.next(), let canonical = texts.next() {
                let element = try JSONElement(
                    parsing: document,
                    named: "t",
                    maximumByteCount: .max,
                    refusedAs: .invalidFeed
                )
                if try CanonicalJSON.bytes(of: element.value) != canonical {
                    Issue.record("\(String(decoding: document, as: UTF8.self))")
                }
                count += 1
            }
            #expect(count == Self.count)
        }
    }
}

/// Texts after their lengths in four bytes.
private struct Texts {
    let bytes: [UInt8]
    private var end = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> [UInt8]? {
        guard end + 4 <= bytes.count else { return nil }
        let count = bytes[end..<end + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        defer { end += 4 + count }
        return Array(bytes[end + 4..<end + 4 + count])
    }
}
