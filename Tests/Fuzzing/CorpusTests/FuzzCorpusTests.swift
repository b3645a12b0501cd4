import Foundation
import Testing

/// The seeds of fuzzing, and the inputs that it has found, in every test run.
@Suite("The corpus of each fuzz target", .serialized)
struct FuzzCorpusTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.package.appending(path: folder).path).sorted()
    }

    @Test("is accepted, except for the files whose names begin with “refused”", arguments: FuzzInput.allCases)
    func seeds(_ input: FuzzInput) throws {
        defer { FuzzFile.removeAll() }
        var outcomes: Set<Bool> = []
        for name in try names(in: "Corpus/\(input)") {
            let bytes = try Data(contentsOf: Self.package.appending(path: "Corpus/\(input)/\(name)"))
            let isTaken = bytes.withUnsafeBytes { input.isTaken($0) }
            #expect(isTaken != name.hasPrefix("refused"), "\(name)")
            outcomes.insert(isTaken)
        }
        #expect(outcomes == [true, false])
    }

    @Test("belongs to a target that scripts/fuzz knows")
    func targets() throws {
        let targets = FuzzInput.allCases.map(\.rawValue)
        #expect(try names(in: "Corpus") == targets)
        #expect(try names(in: "Sources") == (targets.map { "Fuzz\($0.capitalized)" } + ["FuzzInputs"]).sorted())
    }
}
