import Foundation

/// How fast a store is read. A value; safe to share between threads.
public struct ReadingPace: Sendable {
    /// As fast as possible, on all processors.
    public static let fast = ReadingPace(bytesPerSecond: nil)

    /// On the calling thread alone, at a limited rate: for background tasks.
    ///
    /// - Parameter bytesPerSecond: More than 0.
    public static func gentle(bytesPerSecond: Int) -> ReadingPace { ReadingPace(bytesPerSecond: bytesPerSecond) }

    private let bytesPerSecond: Int?

    /// How many threads read at once.
    var workerCount: Int { bytesPerSecond == nil ? ProcessInfo.processInfo.activeProcessorCount : 1 }

    /// The number of bytes between two checks for cancellation.
    var roundByteCount: Int { bytesPerSecond == nil ? 64 << 20 : 4 << 20 }

    /// The number of cached bodies between two checks for cancellation.
    var roundBodyCount: Int { bytesPerSecond == nil ? 256 : 1 }

    /// Waits as long as reading that many bytes should take. Blocks the thread, and doesn't notice a cancellation
    /// meanwhile: call it for pieces of at most ``roundByteCount``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func rest(after byteCount: Int) throws {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return }
        try Task.checkCancellation()
        Thread.sleep(forTimeInterval: Double(byteCount) / Double(bytesPerSecond))
    }
}
