import BundleStore

/// How a patch makes the new release: it adds some of its own bytes, then copies a range of the old release, and so on
/// (ADD and COPY of RFC 3284). After the last copy it adds what is left of its own bytes.
struct PatchInstructions: Equatable {
    struct Copy: Equatable {
        /// How many bytes are added before.
        let addedByteCount: Int
        /// What is copied of the old release.
        let range: Range<Int>
    }

    private(set) var copies: [Copy] = []
    /// The number of bytes that are copied, all copies together.
    private(set) var copiedByteCount = 0

    init() {}

    mutating func append(_ copy: Copy) {
        copies.append(copy)
        copiedByteCount += copy.range.count
    }

    /// What no copy takes of the old release, in its order.
    func rest(ofByteCount oldByteCount: Int) -> [Range<Int>] {
        var rest: [Range<Int>] = []
        var end = 0
        for range in copies.lazy.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > end { rest.append(end..<range.lowerBound) }
            end = max(end, range.upperBound)
        }
        if end < oldByteCount { rest.append(end..<oldByteCount) }
        return rest
    }

    /// What is added, as ranges of the new release.
    func added(ofByteCount newByteCount: Int) -> [Range<Int>] {
        var added: [Range<Int>] = []
        var end = 0
        for copy in copies {
            if copy.addedByteCount > 0 { added.append(end..<end + copy.addedByteCount) }
            end += copy.addedByteCount + copy.range.count
        }
        if end < newByteCount { added.append(end..<newByteCount) }
        return added
    }
}
