import CWebKitGTK

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
