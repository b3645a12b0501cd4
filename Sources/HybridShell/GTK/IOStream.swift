import CWebKitGTK

/// A connection of GIO's. Each direction is for one task at a time.
@MainActor
final class IOStream: Sendable {
    /// How much is read at once, in bytes.
    private static let chunkByteCount: gsize = 64 << 10

    private let object: GObjectReference
    private let cancellable = GObjectReference(taking: UnsafeMutableRawPointer(g_cancellable_new()))

    private var stream: UnsafeMutablePointer<GIOStream> { object.pointer.assumingMemoryBound(to: GIOStream.self) }
    private var pending: UnsafeMutablePointer<GCancellable> {
        cancellable.pointer.assumingMemoryBound(to: GCancellable.self)
    }

    /// Takes over the caller's reference.
    init(taking stream: UnsafeMutablePointer<GIOStream>) {
        object = GObjectReference(taking: UnsafeMutableRawPointer(stream))
    }

    /// Some bytes; none at the end, when the connection is broken, and once it is stopped.
    nonisolated func read() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            MainLoop.run { self.read { continuation.resume(returning: $0) } }
        }
    }

    /// Returns when all is written; false when the connection is broken or stopped.
    nonisolated func write(_ chunk: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            MainLoop.run {
                let output = g_io_stream_get_output_stream(self.stream)!
                StreamWriter.write(chunk, to: output, until: self.pending) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Ends pending reads and writes, and has all others fail.
    nonisolated func stop() async {
        await MainLoop.call { g_cancellable_cancel(self.pending) }
    }

    /// Closes the connection, in which nothing is pending any more.
    nonisolated func close() async {
        await MainLoop.call { g_io_stream_close_async(self.stream, G_PRIORITY_DEFAULT, nil, nil, nil) }
    }

    private func read(_ completion: @escaping @MainActor ([UInt8]) -> Void) {
        let input = g_io_stream_get_input_stream(stream)!
        AsyncCall.start { callback, data in
            g_input_stream_read_bytes_async(
                input,
                Self.chunkByteCount,
                G_PRIORITY_DEFAULT,
                pending,
                callback,
                data
            )
        } completion: { [self] result in
            // The stream is kept until here.
            _ = object
            guard let bytes = g_input_stream_read_bytes_finish(input, result, nil) else { return completion([]) }
            defer { g_bytes_unref(bytes) }
            var count: gsize = 0
            let start = g_bytes_get_data(bytes, &count)
            completion(Array(UnsafeRawBufferPointer(start: start, count: Int(count))))
        }
    }
}

/// Writes to streams of GIO's.
@MainActor
enum StreamWriter {
    /// Writes a whole chunk.
    ///
    /// - Parameters:
    ///   - output: Kept by the call.
    ///   - cancellable: Ends the call.
    ///   - completion: Called with whether all is written.
    static func write(
        _ chunk: [UInt8],
        to output: UnsafeMutablePointer<GOutputStream>,
        until cancellable: UnsafeMutablePointer<GCancellable>? = nil,
        completion: @escaping @MainActor (Bool) -> Void
    ) {
        // Kept by the completion: the call writes from where it lies.
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: chunk.count)
        _ = memory.initialize(from: chunk)
        AsyncCall.start { callback, data in
            g_output_stream_write_all_async(
                output,
                memory.baseAddress,
                gsize(memory.count),
                G_PRIORITY_DEFAULT,
                cancellable,
                callback,
                data
            )
        } completion: { result in
            memory.deallocate()
            completion(g_output_stream_write_all_finish(output, result, nil, nil) != 0)
        }
    }
}
