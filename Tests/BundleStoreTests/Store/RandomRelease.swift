import BundleTesting

@testable import BundleStore

extension BundleStore {
    /// Installs a release of one of three bundles, with large and small files, some of which are shared with other
    /// releases.
    func installRandomRelease(_ number: Int, using random: inout SeededGenerator) throws {
        var files: [String: String] = [:]
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let content = Int.random(in: 0..<30, using: &random)
            let path = "folder-\(Int.random(in: 0..<3, using: &random))/file-\(Int.random(in: 0..<9, using: &random))"
            files[path] = String(repeating: "content \(content) ", count: content % 7 * content)
        }
        try install("\(number)", files, of: "bundle-\(Int.random(in: 0..<3, using: &random))")
    }
}
