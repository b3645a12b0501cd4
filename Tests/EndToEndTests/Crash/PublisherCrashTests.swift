import BundleStore
import BundleTesting
import Foundation
import Testing

/// The steps that a folder of keys or of a feed shows to others are those that give a file its name: before each of them the command is
/// interrupted.
@Suite(.enabled(if: FaultyRun.isPossible, "the library is preloaded into the program, which needs Linux"))
struct PublisherCrashTests {
    enum Command: String, CaseIterable {
        case publish, root, release, online

        func words(_ archive: String, in folder: String) -> [String] {
            switch self {
            case .publish: ["publish", archive, "--to", "\(folder)/www", "--keys", "\(folder)/keys"]
            case .root, .release, .online:
                ["keys", "rotate", rawValue, "--in", "\(folder)/keys", "--feed", "\(folder)/www"]
            }
        }
    }

    @Test(arguments: Command.allCases)
    func `a publisher's command that is interrupted costs no device its release, and is ended by running it again`(
        command: Command
    ) async throws {
        try await withTemporaryDirectory { directory in
            let site = try CrashSite(directory)
            let archive = try await site.prepareFolder()
            let whole = try site.copy(site.before, to: "whole")
            let run = try await FaultyRun(command.words(archive, in: whole), in: whole)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let named = zip(1..., run.steps).filter { $1.newPath != nil }.map(\.0)
            #expect(named.count > 5)
            for number in named + [run.steps.count] {
                let folder = try site.copy(site.before, to: "step-\(number)")
                defer { site.remove("step-\(number)") }
                let words = command.words(archive, in: folder)
                let killed = try await FaultyRun(words, in: folder, fault: (.kill, number))
                #expect(killed.result.exitCode == nil, "\(run.steps[number - 1])")
                try await follow(folder, words, archive)
            }
        }
    }

    /// Has a device follow the folder as it was left, then after the command once more, and at last after another publication.
    private func follow(_ folder: String, _ words: [String], _ archive: String) async throws {
        let bundlectl = Bundlectl(store: folder + "/store")
        let update = ["update", "shop", "--feed", URL(fileURLWithPath: folder + "/www/feed.json").absoluteString]
        let before = try StoreTrust(ofStoreIn: bundlectl.store)
        let first = try await bundlectl.run(update)
        // What isn't all there is refused.
        #expect([0, 65].contains(first.exitCode), "\(first.errorOutput)")
        #expect(["1.0.0", "1.1.0"].contains(try await active(bundlectl)))
        #expect(try StoreTrust(ofStoreIn: bundlectl.store).isAtLeast(before))
        for command in [words, update, PublisherCrashTests.Command.publish.words(archive, in: folder), update] {
            let result = try await bundlectl.run(command)
            #expect(result.exitCode == 0, "\(command): \(result.errorOutput)")
        }
        #expect(try await active(bundlectl) == "1.1.0")
        #expect(try StoreTrust(ofStoreIn: bundlectl.store).isAtLeast(before))
    }

    private func active(_ bundlectl: Bundlectl) async throws -> String? {
        try await bundlectl.json("list")["bundles"]?.array?.first?["active"]?.string
    }
}

extension CrashSite {
    /// Makes keys, a signed feed of 1.0.0 and a device's store that follows it, all in the watched folder.
    ///
    /// - Returns: The archive of 1.1.0.
    fileprivate func prepareFolder() async throws -> String {
        let (keys, feed) = (before + "/keys", before + "/www")
        try await bundlectl.expect(0, "keys", "init", "--in", keys)
        try await bundlectl.expect(0, "publish", archive("1.0.0"), "--to", feed, "--keys", keys)
        let root = try #require(FileManager.default.contents(atPath: keys + "/1.root.json"))
        try await bundlectl.expect(0, "install", feed, "--trust", "sha256:\(Digest(of: Array(root)))")
        return try await archive("1.1.0")
    }
}
