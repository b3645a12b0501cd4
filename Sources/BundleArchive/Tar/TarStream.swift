/// A tar archive's bytes after decompression. It is placed between the file and libarchive's tar reader because it must
/// see every byte up to the end of the file: libarchive accepts a tar archive without an end, and one in which other
/// programs would find other files.
final class TarStream {
    private let input: FileStream
    private let budget: ReadBudget
    private let decompressor: (any Decompressor)?
    /// The buffer for the decompressor's output.
    private let output: UnsafeMutableRawBufferPointer

    private var byteCount: Int64 = 0
    private var validator: TarValidator
    /// Why the stream failed, if it did.
    private(set) var failure: ArchiveError?

    /// - Parameter keepsNames: Whether ``takeName()`` will be called for each entry.
    init(file: ArchiveFile, format: ArchiveFormat, budget: ReadBudget, keepsNames: Bool) throws(ArchiveError) {
        validator = TarValidator(keepsNames: keepsNames)
        input = FileStream(file)
        self.budget = budget
        decompressor = try format.makeDecompressor()
        output = .allocate(byteCount: decompressor == nil ? 0 : ArchiveReader.blockByteCount, alignment: 16)
    }

    deinit {
        output.deallocate()
    }

    /// The number of bytes of the archive's file that have been read.
    var consumedByteCount: Int64 { input.usedByteCount }

    /// The next bytes, valid until the next call; none at the end or after a failure, which sets ``failure``.
    func next() -> UnsafeRawBufferPointer {
        guard failure == nil else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        do throws(ArchiveError) {
            return try checked(read())
        } catch {
            failure = error.concerningWhole()
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// The name in the header of libarchive's current entry; nil when names aren't kept.
    func takeName() -> String? { validator.takeName() }

    /// Reads to the end of the file, so that the last checksum is verified too, and checks that the archive may end
    /// there.
    func finish() throws(ArchiveError) {
        while next().count > 0 {}
        if let failure { throw failure }
        try validator.checkEnd()
    }

    private func read() throws(ArchiveError) -> UnsafeRawBufferPointer {
        try budget.checkTime()
        if let decompressor {
            return UnsafeRawBufferPointer(rebasing: output[..<(try decompressor.read(from: input, into: output))])
        }
        guard try input.fill() else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let bytes = input.unused
        input.use(bytes.count)
        return bytes
    }

    private func checked(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> UnsafeRawBufferPointer {
        byteCount += Int64(bytes.count)
        try budget.checkRatio(producedByteCount: byteCount)
        try validator.check(bytes)
        return bytes
    }
}
