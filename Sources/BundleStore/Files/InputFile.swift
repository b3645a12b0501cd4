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

/// A short text that somebody names, such as a manifest, which is read whole. A value type; safe to share between threads.
package struct InputDocument: Sendable {
    package let bytes: [UInt8]
    /// The permission bits, such as 0o600.
    package let mode: UInt32
    /// The number of the user to whom the file belongs.
    package let owner: UInt32

    /// Reads a file, without waiting for a writer, as opening a FIFO would.
    ///
    /// - Parameters:
    ///   - path: The file's path, absolute or from the current directory.
    ///   - maximumByteCount: The limit in bytes. Of a longer file this many and one more are read, so that what parses them
    ///     can say that it is too long.
    /// - Throws: ``/BundleModel/BundleError`` with code `inputUnavailable` when it can't be read, or isn't a regular file.
    package init(_ path: String, atMost maximumByteCount: Int) throws(BundleError) {
        do {
            let descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
            (bytes, mode, owner) = try descriptor.closeAfter {
                let status = try descriptor.stat()
                guard status.type == .regular else { throw Self.unreadable(path, "it isn't a regular file") }
                // A file that grows meanwhile is read as far as the limit.
                var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
                let count = try bytes.withUnsafeMutableBytes { try Self.fill($0, from: descriptor) }
                return (Array(bytes.prefix(count)), UInt32(status.permissions.rawValue), status.userID.rawValue)
            }
        } catch let error as BundleError {
            throw error
        } catch {
            throw Self.unreadable(path, "\(error)", error)
        }
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: FileDescriptor) throws -> Int {
        var count = 0
        while count < buffer.count {
            let read = try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            guard read > 0 else { break }
            count += read
        }
        return count
    }

    private static func unreadable(_ path: String, _ reason: String, _ cause: (any Error)? = nil) -> BundleError {
        BundleError(
            .inputUnavailable,
            "\(Printable.line(path)) can't be read: \(reason); check its name and permissions",
            cause: cause
        )
    }
}
