import SystemPackage

/// Reads contents of segments from the files instead of mappings: it holds at most one piece in memory, and a disk
/// failure is an error instead of the end of the process.
///
/// Not thread-safe.
final class ContentReader {
    private static let maximumOpenCount = 64
    private static let pieceByteCount = 1 << 18

    private struct OpenSegment {
        let file: FileDescriptor
        let byteCount: Int
    }

    private let layout: StoreLayout
    private let checksHeaders: Bool
    private var openSegments: [FileIdentifier: OpenSegment] = [:]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)

    /// - Parameter checksHeaders: Whether a segment that readers refuse counts as empty. Otherwise its remaining
    ///   content counts.
    init(_ layout: StoreLayout, checksHeaders: Bool = true) {
        self.layout = layout
        self.checksHeaders = checksHeaders
    }

    deinit {
        closeAll()
        buffer.deallocate()
    }

    /// Whether exactly `bytes` are at `location`. Also false when they can't be read.
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

    /// Whether the content at `location` hashes to `digest`. Also false when it can't be read.
    func holds(contentOf digest: Digest, at location: ContentLocation) -> Bool {
        guard let (file, range) = try? file(of: location) else { return false }
        return (try? Digest(of: file, in: range)) == digest
    }

    /// Calls `body` with the content at `location`, piece by piece.
    ///
    /// - Throws: What `body` throws; `Errno` when the content can't be read; ``/BundleModel/BundleError`` when the
    ///   segment is refused.
    func readPieces(of location: ContentLocation, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let (file, range) = try file(of: location)
        try file.readPieces(of: range, by: Self.pieceByteCount, body)
    }

    private func file(of location: ContentLocation) throws -> (FileDescriptor, Range<Int>) {
        let segment = try open(location.segment)
        guard let range = location.range(within: segment.byteCount) else { throw Errno.invalidArgument }
        return (segment.file, range)
    }

    private func open(_ identifier: FileIdentifier) throws -> OpenSegment {
        if let segment = openSegments[identifier] { return segment }
        if openSegments.count >= Self.maximumOpenCount { closeAll() }
        let path = layout.segment(identifier)
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        do {
            let byteCount = Int(try file.stat().size)
            if checksHeaders { try SegmentFormat.fileHeader.check(file, of: byteCount, at: path) }
            let segment = OpenSegment(file: file, byteCount: byteCount)
            openSegments[identifier] = segment
            return segment
        } catch {
            try? file.close()
            throw error
        }
    }

    private func closeAll() {
        for segment in openSegments.values { try? segment.file.close() }
        openSegments = [:]
    }
}
