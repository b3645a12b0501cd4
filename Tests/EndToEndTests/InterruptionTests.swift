import BundleTesting
import Foundation
import Testing

/// The results of signals.
struct InterruptionTests {
    @Test(arguments: [[SIGINT], [SIGTERM], [SIGINT, SIGINT]])
    func `an interrupted pack leaves the folder unchanged, even when it must end at once`(signals: [Int32]) async throws
    {
        try await withTemporaryDirectory { directory in
            let manifest = #"{"name": "large", "version": "1", "origins": []}"#
            let folder = try directory.write(tree: ["bundle.json": manifest], to: "in")
            // xz takes longest for data that can't be compressed: half a minute for this much.
            try directory.write(Self.noise(byteCount: 64 << 20), to: "in/large.bin")
            let output = try directory.write(tree: ["large.tar.xz": "the one before"], to: "out")
            let before = try directory.snapshot()
            let arguments = ["pack", folder, "\(output)/large.tar.xz"]
            try await withChildProcess(Bundlectl.path, arguments) { pack in
                try await eventually { try FileManager.default.contentsOfDirectory(atPath: output).count != 1 }
                signals.forEach(pack.send)
                let result = try await pack.wait()
                #expect((result.exitCode, result.output, result.errorOutput) == (128 + signals[0], "", ""))
            }
            #expect(try directory.snapshot() == before)
        }
    }

    @Test func `no signal is lost, also right after the start`() async throws {
        try await withTemporaryDirectory { directory in
            let folder = try directory.write(
                tree: ["bundle.json": #"{"name": "large", "version": "1", "origins": []}"#],
                to: "in"
            )
            try directory.write(Self.noise(byteCount: 64 << 20), to: "in/large.bin")
            let output = try directory.write(tree: [:], to: "out")
            for _ in 1...20 {
                try await withChildProcess(Bundlectl.path, ["pack", folder, "\(output)/large.tar.xz"]) { pack in
                    try await eventually { try !FileManager.default.contentsOfDirectory(atPath: output).isEmpty }
                    pack.send(SIGTERM)
                    #expect(try await pack.wait().exitCode == 128 + SIGTERM)
                }
            }
        }
    }

    @Test func `the remains of a killed pack are removed by the next one of the same archive`() async throws {
        try await withTemporaryDirectory { directory in
            let manifest = #"{"name": "large", "version": "1", "origins": []}"#
            let small = try directory.write(tree: ["bundle.json": manifest, "x": "small"], to: "small")
            let large = try directory.write(tree: ["bundle.json": manifest], to: "large")
            try directory.write(Self.noise(byteCount: 64 << 20), to: "large/x")
            let output = try directory.write(tree: [:], to: "out")
            let archive = "\(output)/shop.tar.xz"
            func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: output).sorted() }
            func packSmall() async throws {
                let result = try await ChildProcess.run(Bundlectl.path, ["pack", small, archive])
                #expect(result.exitCode == 0, "\(result.errorOutput)")
            }
            try await withChildProcess(Bundlectl.path, ["pack", large, archive]) { pack in
                try await eventually { try !names().isEmpty }
                let unfinished = try names()
                // While its writer runs, it isn't removed.
                try await packSmall()
                #expect(try names() == unfinished + ["shop.tar.xz"])
                pack.send(SIGKILL)
                _ = try await pack.wait()
            }
            #expect(try names().count == 2)
            try await packSmall()
            #expect(try names() == ["shop.tar.xz"])
        }
    }

    @Test func `publish leaves nothing in the folder for temporary files`() async throws {
        try await withPublisher { publisher, bundlectl in
            let temporary = try publisher.directory.write(tree: [:], to: "tmp")
            let environment = bundlectl.environment.merging(["TMPDIR": temporary]) { _, new in new }
            let broken = try publisher.directory.write("no archive", to: "broken.zip")
            for (archive, status) in [(publisher.archive("1.0.0"), 0), (broken, 65)] as [(String, Int32)] {
                let result = try await ChildProcess.run(
                    Bundlectl.path,
                    ["publish", archive, "--to", publisher.site + "/releases"],
                    environment: environment
                )
                #expect(result.exitCode == status)
                #expect(try TreeSnapshot(of: temporary).entries.isEmpty)
            }
        }
    }

    private static func noise(byteCount: Int) throws -> Data {
        let source = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        return try #require(try source.read(upToCount: byteCount))
    }
}
