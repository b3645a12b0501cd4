import BundleArchive
import BundleTesting
import Foundation
import Testing

/// The memory use of an installation, whatever its archive says.
struct MemoryTests {
    /// An idle process takes most of 64 MB in a debug build; the work must fit into the rest.
    private static let maximumGrowth = 27_000

    /// The baseline of each; measured once.
    private static let honest = Task { try await peak(of: [], exitCode: 0) }

    @Test(arguments: HostileArchive.allCases)
    func `a small archive can't make an installation take much memory`(_ archive: HostileArchive) async throws {
        let honest = try await Self.honest.value
        let hostile = try await Self.peak(of: archive.entries, exitCode: archive.exitCode)
        #expect(hostile - honest < Self.maximumGrowth, "\(honest) kB, then \(hostile) kB")
    }

    /// The most memory that installing an archive takes, in kB.
    private static func peak(of entries: [TarFixtureEntry], exitCode: Int32) async throws -> Int {
        try await withTemporaryDirectory { try await peak(of: entries, exitCode: exitCode, in: $0) }
    }

    private static func peak(
        of entries: [TarFixtureEntry],
        exitCode: Int32,
        in directory: TemporaryDirectory
    ) async throws -> Int {
        let manifest = #"{"name": "shop", "version": "1.0.0", "origins": []}"#
        var generator = SeededGenerator(seed: 1)
        let noise = generator.noise(200_000)
        let tar = TarFixture(
            [TarFixtureEntry("bundle.json", Array(manifest.utf8)), TarFixtureEntry("noise.bin", noise)] + entries
        )
        let path = try directory.write(tar.bytes, to: "shop.tar")
        let packed = try await ChildProcess.run("zstd", ["-q", "-f", "--no-check", path, "-o", "\(path).zst"])
        #expect(packed.exitCode == 0, "\(packed.errorOutput)")
        let store = directory.path(of: "store")
        let words = ["-c", Self.launcher, Bundlectl.path, "install", "\(path).zst", "--store", store]
        let result = try await ChildProcess.run("python3", words)
        #expect(result.exitCode == exitCode, "\(result.errorOutput)")
        let line = try #require(result.output.split(separator: "\n").last { $0.hasPrefix("peak ") })
        return try #require(Int(line.dropFirst(5)))
    }

    /// Runs a program, and prints the most memory that it took, as the kernel has kept it.
    private static let launcher = """
        import resource, subprocess, sys
        status = subprocess.run(sys.argv[1:]).returncode
        print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        sys.exit(status)
        """
}

/// The property that makes a small archive large in memory.
enum HostileArchive: CaseIterable {
    case sparseGNU
    case sparsePax
    case longTargets
    case longChains
    case manyLinks

    var exitCode: Int32 { self == .manyLinks ? 0 : 65 }

    var entries: [TarFixtureEntry] {
        switch self {
        case .sparseGNU: SparseFixture.gnu.entries(pieceCount: 2_000_000)
        case .sparsePax: SparseFixture.pax10.entries(pieceCount: 2_000_000)
        case .longTargets: (0..<250).flatMap { link("l\($0)", to: String(repeating: "./", count: 200_000)) }
        case .longChains:
            [.pax([("path", Self.folder + "/a")]), TarFixtureEntry("a")] + link("f", to: Self.folder)
                + (0..<20_000).map { number in shortLink("l\(number)", to: "f/a") }
        case .manyLinks: (0..<29_000).map { shortLink("\($0)" + String(repeating: "x", count: 80), to: "noise.bin") }
        }
    }

    private static let folder = Array(repeating: String(repeating: "d", count: 250), count: 15).joined(separator: "/")

    private func link(_ name: String, to target: String) -> [TarFixtureEntry] {
        [.pax([("linkpath", target)]), shortLink(name, to: "x")]
    }

    private func shortLink(_ name: String, to target: String) -> TarFixtureEntry {
        TarFixtureEntry(name).with { entry in
            entry.typeFlag = "2"
            entry.linkTarget = target
        }
    }
}
