import SystemPackage

/// The write-ahead log beside an SQLite database, as a file
/// (https://www.sqlite.org/fileformat2.html#the_write_ahead_log): its contents can be read without the shared memory,
/// which may be missing and impossible to create.
struct WriteAheadLog {
    private static let headerByteCount = 32
    private static let frameHeaderByteCount = 24

    private let path: FilePath
    private let database: FilePath

    init(of database: FilePath) {
        path = FilePath(database.string + "-wal")
        self.database = database
    }

    /// Whether the database has everything that the log has, so that it can be read alone. Only valid while no process
    /// is writing.
    ///
    /// - Throws: `Errno` when one of them can't be read.
    func isInDatabase() throws -> Bool {
        guard try Durable.exists(path) else { return true }
        let log = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try log.closeAfter {
            guard let frames = try Frames(of: log) else { return true }
            let database = try FileDescriptor.open(database, .readOnly, options: .closeOnExec)
            return try database.closeAfter { try frames.areIn(database, log) }
        }
    }

    /// The valid pages of a log: frames from the start whose salts and checksums match, up to the last one that ends a
    /// transaction.
    private struct Frames {
        let pageByteCount: Int
        /// The position of the latest version of each page in the log.
        private(set) var committed: [UInt32: Int] = [:]

        /// Returns nil when there is no valid log.
        init?(of log: FileDescriptor) throws {
            let byteCount = Int(try log.stat().size)
            guard byteCount >= WriteAheadLog.headerByteCount else { return nil }
            let header = try log.bytes(in: 0..<WriteAheadLog.headerByteCount)
            let magic = header.bigEndian(at: 0)
            pageByteCount = Int(header.bigEndian(at: 8))
            guard magic & ~1 == 0x377F_0682, (512...65_536).contains(pageByteCount) else { return nil }
            var checksum = Checksum(isBigEndian: magic & 1 == 1)
            checksum.add(header[..<24])
            guard checksum.isEqual(to: header[24...]) else { return nil }
            try readFrames(of: log, byteCount, salts: header[16..<24], checksum)
        }

        func areIn(_ database: FileDescriptor, _ log: FileDescriptor) throws -> Bool {
            let byteCount = Int(try database.stat().size)
            return try committed.allSatisfy { page, offset in
                let start = (Int(page) - 1) * pageByteCount
                guard start + pageByteCount <= byteCount else { return false }
                return try database.bytes(in: start..<start + pageByteCount)
                    == log.bytes(in: offset..<offset + pageByteCount)
            }
        }

        private mutating func readFrames(
            of log: FileDescriptor,
            _ byteCount: Int,
            salts: ArraySlice<UInt8>,
            _ checksum: Checksum
        ) throws {
            var checksum = checksum
            var pending: [UInt32: Int] = [:]
            var offset = WriteAheadLog.headerByteCount
            while case let end = offset + WriteAheadLog.frameHeaderByteCount + pageByteCount, end <= byteCount {
                let frame = try log.bytes(in: offset..<end)
                checksum.add(frame[..<8])
                checksum.add(frame[WriteAheadLog.frameHeaderByteCount...])
                let page = frame.bigEndian(at: 0)
                guard page > 0, frame[8..<16] == salts, checksum.isEqual(to: frame[16..<24]) else { return }
                pending[page] = offset + WriteAheadLog.frameHeaderByteCount
                let databasePageCount = frame.bigEndian(at: 4)
                if databasePageCount > 0 {
                    committed.merge(pending) { $1 }
                    // Pages beyond the end were truncated by the transaction.
                    committed = committed.filter { $0.key <= databasePageCount }
                    pending = [:]
                }
                offset = end
            }
        }
    }

    /// The running checksum of header and frames.
    private struct Checksum {
        let isBigEndian: Bool
        private var sums: (UInt32, UInt32) = (0, 0)

        init(isBigEndian: Bool) {
            self.isBigEndian = isBigEndian
        }

        /// - Parameter bytes: A multiple of eight.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count, by: 8) {
                    sums.0 &+= word(bytes, at: offset) &+ sums.1
                    sums.1 &+= word(bytes, at: offset + 4) &+ sums.0
                }
            }
        }

        /// - Parameter bytes: Eight bytes of a header, which are big-endian in every log.
        func isEqual(to bytes: ArraySlice<UInt8>) -> Bool {
            let bytes = Array(bytes)
            return bytes.bigEndian(at: 0) == sums.0 && bytes.bigEndian(at: 4) == sums.1
        }

        private func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
            let word: UInt32 = bytes.littleEndian(at: offset)
            return isBigEndian ? word.byteSwapped : word
        }
    }
}

extension [UInt8] {
    /// The integer at `offset`, which must be inside.
    fileprivate func bigEndian(at offset: Int) -> UInt32 {
        self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
