import BundleStore

/// The known variants, and the contents of those that have been read. A value type.
struct VariantTable {
    /// The state of a variant.
    enum State {
        /// There is a file, which hasn't been read yet.
        case unread
        /// The coded bytes.
        case content(ByteSlice)
        /// The coding makes the content no smaller.
        case futile
    }

    private struct Entry {
        var state: State
        /// The length of its file; 0 when it has none.
        var byteCount: Int64
        var lastUse: UInt64
    }

    private var entries: [Digest: [VariantKey: Entry]] = [:]
    private var clock: UInt64 = 0
    /// The total size of the files.
    private(set) var byteCount: Int64 = 0

    /// The forms of a content that can be sent. Counts as a use.
    mutating func contents(of digest: Digest) -> [VariantKey: ByteSlice] {
        guard let forms = entries[digest] else { return [:] }
        clock += 1
        var contents: [VariantKey: ByteSlice] = [:]
        for (key, entry) in forms {
            guard case .content(let content) = entry.state, !content.hasFaulted else { continue }
            contents[key] = content
            entries[digest]?[key]?.lastUse = clock
        }
        return contents
    }

    /// The state of a form; nil when there is no such file and creating it hasn't been tried.
    func state(of key: VariantKey) -> State? { entries[key.content]?[key]?.state }

    /// Whether a form has a file of its own.
    func hasFile(_ key: VariantKey) -> Bool { entries[key.content]?[key].map { $0.byteCount > 0 } ?? false }

    /// Sets the state of a form.
    mutating func set(_ key: VariantKey, _ state: State, byteCount: Int64) {
        remove(key)
        clock += 1
        entries[key.content, default: [:]][key] = Entry(state: state, byteCount: byteCount, lastUse: clock)
        self.byteCount += byteCount
    }

    /// Removes a form.
    mutating func remove(_ key: VariantKey) {
        byteCount -= entries[key.content]?.removeValue(forKey: key)?.byteCount ?? 0
        if entries[key.content]?.isEmpty == true { entries[key.content] = nil }
    }

    /// All known forms.
    var keys: [VariantKey] { entries.values.flatMap(\.keys) }

    /// Removes the least recently used forms until at most `quota` bytes are left, and returns them.
    mutating func removeExcess(over quota: Int64) -> [VariantKey] {
        guard byteCount > quota else { return [] }
        let files = entries.values.joined().filter { $0.value.byteCount > 0 }
        var excess: [VariantKey] = []
        for (key, _) in files.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where byteCount > quota {
            excess.append(key)
            remove(key)
        }
        return excess
    }
}
