import Synchronization

/// The header fields of a release's files. Which of the manifest's patterns match a file is determined once.
/// Thread-safe.
final class HeaderFieldTable: Sendable {
    private struct State {
        /// The fields of each file, by its number in the index.
        var sets: [Int: [HeaderField]] = [:]
        /// The fields by the positions of the rules that set them.
        var fields: [[Int]: [HeaderField]] = [:]
        /// The number of elements in the keys and values of ``fields``.
        var size = 0
    }

    /// The limit for remembered fields, about 4 MB; then the table is cleared.
    private static let maximumFileCount = 65_536
    private static let maximumSize = 65_536

    private let manifest: BundleManifest
    private let state = Mutex(State())

    init(_ manifest: BundleManifest) {
        self.manifest = manifest
    }

    /// Whether the fields of a file are known or can be determined in microseconds.
    ///
    /// - Parameters:
    ///   - number: The file's number in the index.
    ///   - pathByteCount: The length of its path.
    func isReady(forEntry number: Int, pathByteCount: Int) -> Bool {
        manifest.hasQuickHeaders(forPathOf: pathByteCount) || state.withLock { $0.sets[number] != nil }
    }

    /// The fields of a file.
    ///
    /// - Parameters:
    ///   - number: The file's number in the index.
    ///   - path: Its path; only evaluated when the fields aren't known.
    func fields(ofEntry number: Int, path: () -> String) -> [HeaderField] {
        if let known = state.withLock({ $0.sets[number] }) { return known }
        guard let path = try? BundlePath(path()) else { return [] }
        // Determined without the lock, so that threads that need other files don't wait.
        let rules = manifest.headerRules(for: path)
        return state.withLock { state in
            if state.sets.count >= Self.maximumFileCount { state.sets = [:] }
            let fields = state.fields[rules] ?? enter(rules, in: &state)
            state.sets[number] = fields
            return fields
        }
    }

    private func enter(_ rules: [Int], in state: inout State) -> [HeaderField] {
        let fields = manifest.headerFields(ofRules: rules)
        state.size += fields.count + rules.count
        if state.size > Self.maximumSize { state = State(size: fields.count + rules.count) }
        state.fields[rules] = fields
        return fields
    }
}
