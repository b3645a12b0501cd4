import BundleTesting
import Foundation
import Testing

@Suite("The names of options and verbs")
struct OptionNameTests {
    /// Options of other programs, for a packer that creates an archive again.
    private static let others = ["--long", "--sparse"]

    @Test(
        "stand in bundlectl alone: what the library says holds for every program",
        arguments: [
            "BundleArchive", "BundleCoding", "BundleInstall", "BundleModel", "BundleNetwork", "BundlePublishing",
            "BundleServer", "BundleServing", "BundleStore", "BundleTransport", "BundleUpdate", "BundleUsage",
            "HTTPCore",
            "ServerCore",
        ]
    )
    func library(_ module: String) throws {
        let folder = Project.root.appending(path: "Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            for line in lines where !line.drop(while: \.isWhitespace).hasPrefix("//") {
                let names = line.matches(of: /--[a-z][a-z-]*|bundlectl(?!_)/).map { String($0.output) }
                #expect(names.allSatisfy(Self.others.contains), "\(file.lastPathComponent): \(line)")
            }
        }
    }
}
