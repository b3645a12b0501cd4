import SystemPackage

/// Reads contents of segments again, from the files and not through mappings: it holds at most one piece in memory, and a
/// failing disk is an error and not the process' end.
///
/// Not thread-safe.
final class ContentReader {
    private static let maximumOpenCount = 64
    private static let pieceByteCount = 1 << 18

    private let layout: StoreLayout
    private var descriptors: [FileIdentifier: FileDescriptor] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)

    init(_ layout: StoreLayout) {
        self.layout = layout
    }

    deinit {
        closeAll()
        buffer.deallocate()
    }

    /// Whether exactly `bytes` are at `location`. False too when they can't be read.
    func holds(_ bytes: UnsafeRawBufferPointer, at location: ContentLocation) -> Bool {
        guard bytes.count == location.byteCount, let (file, range) = try? file(of: location) else { return false }
        for start in stride(from: 0, to: bytes.count, by: buffer.count) {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, bytes.count - start)])
            guard (try? file.readAll(at: range.lowerBound + start, into: piece)) == true else { return false }
            let expected = UnsafeRawBufferPointer(rebasing: bytes[start..<start + piece.count])
            guard expected.hasSameBytes(as: UnsafeRawBufferPointer(piece)) else { return false }
        }
        return true
    }

    /// Whether what is at `location` hashes to `digest`. False too when it can't be read.
    func holds(contentOf digest: Digest, at location: ContentLocation) -> Bool {
        guard let (file, range) = try? file(of: location) else { return false }
        return (try? Digest(of: file, in: range)) == digest
    }

    /// Calls `body` with one piece of what is at `location` after the other.
    ///
    /// - Throws: What `body` throws; `Errno` when it can't be read.
    func readPieces(of location: ContentLocation, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let (file, range) = try file(of: location)
        try file.readPieces(of: range, by: Self.pieceByteCount, body)
    }

    private func file(of location: ContentLocation) throws -> (FileDescriptor, Range<Int>) {
        let (end, overflow) = location.offset.addingReportingOverflow(location.byteCount)
        guard !overflow, end <= Int64.max, location.offset >= SegmentFormat.headerByteCount else {
            throw Errno.invalidArgument
        }
        return (try open(location.segment), Int(location.offset)..<Int(end))
    }

    private func open(_ segment: FileIdentifier) throws -> FileDescriptor {
        if let descriptor = descriptors[segment] { return descriptor }
        if descriptors.count >= Self.maximumOpenCount { closeAll() }
        let descriptor = try FileDescriptor.open(layout.segment(segment), .readOnly, options: .closeOnExec)
        descriptors[segment] = descriptor
        return descriptor
    }

    private func closeAll() {
        for descriptor in descriptors.values { try? descriptor.close() }
        descriptors = [:]
    }
}
