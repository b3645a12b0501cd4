import Foundation

/// Finds two names of a release that conflict: the same path twice, a file where a folder is needed, or names that
/// differ only in case. Takes 8 bytes of memory for each file and folder, up to two million of them; larger releases
/// are checked in several parts.
///
/// Every file, and every folder on the way to it, contributes the hash of its folded path. Equal hashes are then
/// compared as text in a second pass. The hash is keyed, so that an attacker can't choose names with equal hashes.
struct NameCheck {
    /// The search for candidates ends at this number: so many can't all be accidental.
    private static let maximumCandidateCount = 1_000

    private let key = SipHash.Key.random()
    private let partNodeCount: Int

    /// - Parameter partNodeCount: How many files and folders are checked together; over 0.
    init(partNodeCount: Int = 2 << 20) {
        self.partNodeCount = partNodeCount
    }

    /// The first conflict found, or nil.
    ///
    /// - Parameter checkpoint: Called before each record; ends the call by throwing.
    /// - Throws: `Errno` when the records can't be read; what `checkpoint` throws.
    func conflict(in records: RecordSorter, _ checkpoint: () throws -> Void = {}) throws -> NameConflict? {
        let candidates = try candidates(in: records, checkpoint)
        guard !candidates.isEmpty else { return nil }
        var seen: [UInt64: (path: String, kind: NameConflict.Kind)] = [:]
        var conflict: NameConflict?
        try forEachHash(in: records, checkpoint) { hash, path, kind in
            guard conflict == nil, candidates.contains(hash) else { return }
            let path = String(decoding: path, as: UTF8.self)
            guard let first = seen[hash] else {
                seen[hash] = (path, kind)
                return
            }
            if Self.isSame(first.path, path) { conflict = NameConflict(first: first, second: (path, kind)) }
        }
        return conflict
    }

    private func candidates(in records: RecordSorter, _ checkpoint: () throws -> Void) throws -> Set<UInt64> {
        let nodeCount = try nodeCount(in: records, checkpoint)
        let partCount = UInt64(nodeCount / partNodeCount + 1)
        var candidates: Set<UInt64> = []
        for part in 0..<partCount where candidates.count < Self.maximumCandidateCount {
            var hashes: [UInt64] = []
            hashes.reserveCapacity(nodeCount / Int(partCount) * 17 / 16)
            try forEachHash(in: records, checkpoint) { hash, _, _ in
                if hash % partCount == part { hashes.append(hash) }
            }
            hashes.sort()
            for (hash, next) in zip(hashes, hashes.dropFirst())
            where hash == next && candidates.count < Self.maximumCandidateCount {
                candidates.insert(hash)
            }
        }
        return candidates
    }

    /// The number of files and folders; an estimate when even the deepest paths would make only one part.
    private func nodeCount(in records: RecordSorter, _ checkpoint: () throws -> Void) throws -> Int {
        guard records.count * (BundlePath.maximumDepth + 1) >= partNodeCount else { return records.count }
        var count = 0
        try forEachNode(in: records, checkpoint) { _, _ in count += 1 }
        return count
    }

    /// Calls `body` as ``forEachNode(in:_:_:)`` does, but with the hash of the folded path.
    private func forEachHash(
        in records: RecordSorter,
        _ checkpoint: () throws -> Void,
        _ body: (UInt64, UnsafeRawBufferPointer, NameConflict.Kind) -> Void
    ) throws {
        var folded: [UInt8] = []
        try forEachNode(in: records, checkpoint) { path, kind in
            CaseFolding.fold(path, into: &folded)
            body(folded.withUnsafeBytes { SipHash.hash($0, key) }, path, kind)
        }
    }

    /// Calls `body` for each file, link and folder; once for each folder: in key order all contents of a folder are
    /// adjacent.
    private func forEachNode(
        in records: RecordSorter,
        _ checkpoint: () throws -> Void,
        _ body: (UnsafeRawBufferPointer, NameConflict.Kind) -> Void
    ) throws {
        var previous: [UInt8] = []
        try records.forEach { record in
            try checkpoint()
            let path = record.key
            let common = previous.withUnsafeBytes { Self.commonByteCount($0, path) }
            for index in common..<path.count where path[index] == UInt8(ascii: "/") {
                body(UnsafeRawBufferPointer(rebasing: path[..<index]), .folder)
            }
            if record.kind != .folder { body(path, record.kind == .link ? .link : .file) }
            previous.removeAll(keepingCapacity: true)
            previous.append(contentsOf: path)
        }
    }

    private static func commonByteCount(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let limit = min(left.count, right.count)
        var count = 0
        while count + 8 <= limit {
            let difference: UInt64 = left.littleEndian(at: count) ^ right.littleEndian(at: count)
            guard difference == 0 else { return count + difference.trailingZeroBitCount / 8 }
            count += 8
        }
        while count < limit, left[count] == right[count] { count += 1 }
        return count
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        var (foldedLeft, foldedRight): ([UInt8], [UInt8]) = ([], [])
        Array(left.utf8).withUnsafeBytes { CaseFolding.fold($0, into: &foldedLeft) }
        Array(right.utf8).withUnsafeBytes { CaseFolding.fold($0, into: &foldedRight) }
        return foldedLeft == foldedRight
    }
}

/// Two names of a release that conflict.
struct NameConflict {
    enum Kind {
        case file
        case folder
        case link
    }

    let first: (path: String, kind: Kind)
    let second: (path: String, kind: Kind)

    /// One sentence that names both, and what to do.
    var message: String {
        let (left, right) = (Printable.text(first.path), Printable.text(second.path))
        guard first.path.utf8.elementsEqual(second.path.utf8) else {
            return
                "“\(left)” and “\(right)” differ only in upper and lower case, and are one name on Windows and macOS; "
                + "rename one of them"
        }
        switch (first.kind, second.kind) {
        case (.folder, .link), (.link, .folder):
            return "“\(left)” is a link, and other entries lie below it; pack the folder itself in place of the link"
        case (.folder, _), (_, .folder):
            return "“\(left)” is a file and a folder; rename one of them"
        default:
            return "“\(left)” comes twice; pack it once"
        }
    }
}

/// Names without case distinctions, as file systems of Windows and macOS compare them: an approximation of default
/// caseless matching (The Unicode Standard, section 3.13). Converted to upper case first, so that “ß” and “SS”, or “ς”
/// and “Σ”, become equal.
package enum CaseFolding {
    /// Replaces `folded` with the folded form of `path`, which is UTF-8.
    static func fold(_ path: UnsafeRawBufferPointer, into folded: inout [UInt8]) {
        // No early exit, here and below, so that the loop is vectorised.
        guard path.reduce(0 as UInt8, { $0 | $1 }) < 0x80 else {
            let text = String(decoding: path, as: UTF8.self)
            folded = Array(text.uppercased().lowercased().precomposedStringWithCanonicalMapping.utf8)
            return
        }
        folded.removeAll(keepingCapacity: true)
        folded.append(contentsOf: path)
        folded.withUnsafeMutableBufferPointer { bytes in
            for index in bytes.indices {
                bytes[index] |= bytes[index] &- UInt8(ascii: "A") < 26 ? 0x20 : 0
            }
        }
    }

    /// The folded form of `path`.
    package static func fold(_ path: String) -> String {
        var (path, folded) = (path, [UInt8]())
        path.withUTF8 { fold(UnsafeRawBufferPointer($0), into: &folded) }
        return String(decoding: folded, as: UTF8.self)
    }
}
