import Synchronization

/// The files of cached bodies that are mapped. Thread-safe.
final class MappedBodies: Sendable {
    private struct Reference {
        weak var file: MappedFile?
    }

    private struct State {
        var files: [Reference] = []
        /// From this number on, those that have been released are dropped.
        var purgeCount = 64
    }

    private let state = Mutex(State())

    func add(_ file: MappedFile) {
        state.withLock { state in
            state.files.append(Reference(file: file))
            guard state.files.count >= state.purgeCount else { return }
            state.files.removeAll { $0.file == nil }
            state.purgeCount = max(64, 2 * state.files.count)
        }
    }

    /// Whether another program has changed or truncated one, or the disk can't read it any more; those that have aren't
    /// looked at again.
    func takeChange() -> Bool {
        let files = state.withLock { $0.files }
        let changed = Set(files.compactMap(\.file).filter(\.hasChanged).map(ObjectIdentifier.init))
        guard !changed.isEmpty else { return false }
        state.withLock { state in
            state.files.removeAll { reference in reference.file.map { changed.contains(ObjectIdentifier($0)) } ?? true }
        }
        return true
    }
}
