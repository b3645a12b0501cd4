import Foundation

/// How fast a store is read through. A value; safe to share between threads.
public struct ReadingPace: Sendable {
    /// As fast as it goes, on all processors.
    public static let fast = ReadingPace(bytesPerSecond: nil)

    /// On the calling thread alone, at most so fast: a background task that has a day for it.
    ///
    /// - Parameter bytesPerSecond: More than 0.
    public static func gentle(bytesPerSecond: Int) -> ReadingPace { ReadingPace(bytesPerSecond: bytesPerSecond) }

    private let bytesPerSecond: Int?

    /// How many threads read at once.
    var workerCount: Int { bytesPerSecond == nil ? ProcessInfo.processInfo.activeProcessorCount : 1 }

    /// After how many bytes it is looked whether to go on.
    var roundByteCount: Int { bytesPerSecond == nil ? 64 << 20 : 4 << 20 }

    /// After how many bodies of kept responses it is looked whether to go on.
    var roundBodyCount: Int { bytesPerSecond == nil ? 256 : 1 }

    /// Waits for as long as what was read should have taken. Keeps the thread, and doesn't see a cancellation meanwhile: it is
    /// to be called for pieces, of at most ``roundByteCount``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func rest(after byteCount: Int) throws {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return }
        try Task.checkCancellation()
        Thread.sleep(forTimeInterval: Double(byteCount) / Double(bytesPerSecond))
    }
}
