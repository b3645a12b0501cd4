import Dispatch
import Synchronization
import SystemPackage

/// Reads extents of one segment file and compares them with their digests: in file order, in large pieces, and on all
/// processors. Nothing is mapped, so a disk failure is an error instead of the end of the process.
struct ExtentCheck: Sendable {
    /// How many bytes each processor reads at a time.
    private static let pieceByteCount = 1 << 18
    /// Unused gaps up to this length are read instead of skipped.
    private static let maximumGapByteCount = 1 << 16

    /// The segment's file.
    let file: FileDescriptor
    /// Its length.
    let byteCount: Int
    var pace = ReadingPace.fast

    /// Extents that are read with one call, or one extent that is too long for that.
    private struct Batch {
        var indices: Range<Int>
        var span: Range<Int>
    }

    /// State shared by the processors.
    private final class Round: Sendable {
        let nextBatch = Atomic(0)
        let problems = Mutex<[Int: ContentProblem]>([:])
    }

    /// The members of `extents`, given in file order, that don't match their digests.
    ///
    /// - Parameter progress: Called now and then with the current position in the file.
    /// - Throws: `CancellationError` when the task is cancelled; what `progress` throws.
    func problems(
        of extents: [ContentExtent],
        progress: (_ position: Int) throws -> Void = { _ in }
    ) throws -> [ContentExtent: ContentProblem] {
        var problems: [ContentExtent: ContentProblem] = [:]
        var next = 0
        while next < extents.count {
            try Task.checkCancellation()
            var batches: [Batch] = []
            var roundByteCount = 0
            while next < extents.count, roundByteCount < pace.roundByteCount {
                guard let batch = batch(from: next, of: extents) else {
                    problems[extents[next]] = .missing
                    next += 1
                    continue
                }
                batches.append(batch)
                next = batch.indices.upperBound
                roundByteCount += batch.span.count
            }
            for (index, problem) in check(batches, of: extents) { problems[extents[index]] = problem }
            try Task.checkCancellation()
            if let last = batches.last { try progress(last.span.upperBound) }
        }
        return problems
    }

    /// Nil when the first extent lies outside the file.
    private func batch(from start: Int, of extents: [ContentExtent]) -> Batch? {
        guard let first = extents[start].range(within: byteCount) else { return nil }
        var batch = Batch(indices: start..<start + 1, span: first)
        while batch.indices.upperBound < extents.count,
            let range = extents[batch.indices.upperBound].range(within: byteCount),
            range.lowerBound >= first.lowerBound,
            range.lowerBound - batch.span.upperBound <= Self.maximumGapByteCount,
            case let end = max(range.upperBound, batch.span.upperBound),
            end - batch.span.lowerBound <= Self.pieceByteCount
        {
            batch = Batch(indices: start..<batch.indices.upperBound + 1, span: first.lowerBound..<end)
        }
        return batch
    }

    private func check(_ batches: [Batch], of extents: [ContentExtent]) -> [Int: ContentProblem] {
        let round = Round()
        let workerCount = min(pace.workerCount, batches.count)
        DispatchQueue.concurrentPerform(iterations: workerCount) { _ in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceByteCount, alignment: 4_096)
            defer { buffer.deallocate() }
            while case let number = round.nextBatch.add(1, ordering: .relaxed).oldValue, number < batches.count {
                check(batches[number], of: extents, buffer) { index, problem in
                    round.problems.withLock { $0[index] = problem }
                }
            }
        }
        return round.problems.withLock { $0 }
    }

    private func check(
        _ batch: Batch,
        of extents: [ContentExtent],
        _ buffer: UnsafeMutableRawBufferPointer,
        _ report: (Int, ContentProblem) -> Void
    ) {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(batch.span.count))
        // When the disk can't read them together, some of them may still be readable.
        let isRead =
            batch.span.count <= buffer.count
            && (try? file.readAll(at: batch.span.lowerBound, into: piece)) == true
        for index in batch.indices {
            guard let range = extents[index].range(within: byteCount) else { continue }
            do {
                let start = range.lowerBound - batch.span.lowerBound
                let digest =
                    isRead
                    ? Digest(of: UnsafeRawBufferPointer(rebasing: piece[start..<start + range.count]))
                    : try Digest(of: file, in: range, pace: pace)
                if digest != extents[index].digest { report(index, .changed) }
            } catch is CancellationError {
                return
            } catch {
                report(index, .unreadable(error as? Errno ?? .ioError))
            }
        }
        // Extents that were read one by one have already rested; cancellation is checked after the round.
        if isRead { try? pace.rest(after: batch.span.count) }
    }
}
