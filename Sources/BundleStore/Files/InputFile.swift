import SystemPackage

/// A file of the caller that is read sequentially in large pieces. Not thread-safe.
final class InputFile {
    private static let chunkByteCount = 1 << 20

    /// The length in bytes when it was opened, for progress.
    let byteCount: Int64
    private let path: String
    private let descriptor: FileDescriptor

    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be opened.
    init(_ path: String) throws(BundleError) {
        self.path = path
        do {
            descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        } catch {
            throw Self.unreadable(path, error)
        }
        byteCount = (try? FilePath(path).stat().size) ?? 0
    }

    deinit {
        try? descriptor.close()
    }

    /// Calls `body` with each piece in order.
    ///
    /// - Throws: What `body` throws; ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read.
    func readChunks(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkByteCount, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try read(into: buffer), count > 0 {
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) -> Int {
        do { return try descriptor.read(into: buffer) } catch { throw Self.unreadable(path, error) }
    }

    private static func unreadable(_ path: String, _ cause: any Error) -> BundleError {
        BundleError(.inputUnavailable, "\(Printable.line(path)) can't be read: \(cause); check the path", cause: cause)
    }
}
