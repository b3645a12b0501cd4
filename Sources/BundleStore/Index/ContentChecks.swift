import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The check results of an open release's contents: two bits for each entry, none set until the first read.
///
/// `@unchecked Sendable`: the words behind the pointer are only accessed as atomics, and live as long as the object.
final class ContentChecks: @unchecked Sendable {
    /// The result of comparing a content with its digest.
    enum Verdict: UInt64 {
        case intact = 1
        case damaged = 2
    }

    private static let entriesPerWord = 32

    private let entryCount: Int
    // Nil when memory couldn't be allocated: then every read is a first one.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>?

    init(entryCount: Int) {
        self.entryCount = entryCount
        let wordCount = entryCount / Self.entriesPerWord + 1
        // From calloc, because its zeros take no memory before they are used: a release with a million files needs a
        // quarter of a million bytes here. An `Atomic` has the layout of its value, and zero bits are the value 0.
        words = calloc(wordCount, MemoryLayout<Atomic<UInt64>>.stride)?
            .bindMemory(to: Atomic<UInt64>.self, capacity: wordCount)
    }

    deinit {
        free(words)
    }

    /// The check result of an entry's content, or nil before its first read.
    func verdict(ofEntry number: Int) -> Verdict? {
        guard let word = word(ofEntry: number) else { return nil }
        let bits = word.pointee.load(ordering: .relaxed) >> Self.shift(ofEntry: number)
        // Two threads may have read at once, and the disk failed for one of them.
        if bits & Verdict.damaged.rawValue != 0 { return .damaged }
        return bits & Verdict.intact.rawValue != 0 ? .intact : nil
    }

    /// Records the result of a read.
    ///
    /// - Returns: Whether the result is new.
    func record(_ verdict: Verdict, ofEntry number: Int) -> Bool {
        guard let word = word(ofEntry: number) else { return true }
        let bit = verdict.rawValue << Self.shift(ofEntry: number)
        return word.pointee.bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0
    }

    private func word(ofEntry number: Int) -> UnsafeMutablePointer<Atomic<UInt64>>? {
        guard number >= 0, number < entryCount else { return nil }
        return words.map { $0 + number / Self.entriesPerWord }
    }

    private static func shift(ofEntry number: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: number % entriesPerWord) * 2
    }
}
