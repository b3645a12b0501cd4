import SystemPackage

/// The locations of contents by digest: ten to fifteen bytes of memory for each. The rest of a record is in memory
/// while the table is small, otherwise in a temporary file.
///
/// Not thread-safe.
final class ContentTable {
    struct Record {
        let digest: Digest
        let location: ContentLocation
        /// Whether the content was written, or read and compared, since the table was created.
        var isVerified: Bool
    }

    private static let recordByteCount = 56
    private static let recordsInMemory = 1 << 20

    private let records: SpillingBuffer
    private var segments = NumberedSet<FileIdentifier>()
    // Many small tables instead of a large one, because a table exists twice while it grows.
    private let shards = (0..<64).map { _ in ContentTableShard() }
    private var recordCount = 0

    init(spillingTo path: FilePath) {
        records = SpillingBuffer(spillingTo: path, over: Self.recordsInMemory)
    }

    /// The number of contents.
    private(set) var count = 0

    /// The latest record for `digest`, or nil.
    ///
    /// - Throws: `Errno` when the temporary file can't be read.
    func find(_ digest: Digest) throws -> Record? {
        try slot(of: digest)?.record
    }

    /// Adds a record, replacing the one for the same digest.
    ///
    /// - Throws: `Errno` when the temporary file can't be written or read.
    func insert(_ record: Record) throws {
        // More than four billion records; at worst a content that isn't in the table is written again.
        guard recordCount < UInt32.max else { return }
        let fingerprint = Self.fingerprint(of: record.digest)
        let known = try slot(of: record.digest)?.index
        try append(record)
        if let known {
            shards[Self.shard(of: fingerprint)].replace(known, with: UInt32(recordCount))
        } else {
            shards[Self.shard(of: fingerprint)].insert(fingerprint, UInt32(recordCount))
            count += 1
        }
        recordCount += 1
    }

    private func slot(of digest: Digest) throws -> (index: Int, record: Record)? {
        let fingerprint = Self.fingerprint(of: digest)
        return try shards[Self.shard(of: fingerprint)].first(of: fingerprint) { index, number in
            let record = try record(Int(number))
            return record.digest == digest ? (index, record) : nil
        }
    }

    private static func fingerprint(of digest: Digest) -> UInt32 {
        digest.withUnsafeBytes { $0.littleEndian(at: 0) }
    }

    private static func shard(of fingerprint: UInt32) -> Int { Int(fingerprint >> 26) }

    private func append(_ record: Record) throws {
        try withUnsafeTemporaryAllocation(byteCount: Self.recordByteCount, alignment: 8) { bytes in
            record.digest.withUnsafeBytes { bytes.copyMemory(from: $0) }
            bytes.storeBytes(of: record.location.offset, toByteOffset: 32, as: UInt64.self)
            bytes.storeBytes(of: record.location.byteCount, toByteOffset: 40, as: UInt64.self)
            let segment = UInt32(truncatingIfNeeded: segments.number(of: record.location.segment))
            bytes.storeBytes(of: segment, toByteOffset: 48, as: UInt32.self)
            bytes.storeBytes(of: record.isVerified ? 1 : 0, toByteOffset: 52, as: UInt32.self)
            try records.append(UnsafeRawBufferPointer(bytes))
        }
    }

    private func record(_ number: Int) throws -> Record {
        try withUnsafeTemporaryAllocation(byteCount: Self.recordByteCount, alignment: 8) { bytes in
            try records.read(at: number * Self.recordByteCount, into: bytes)
            guard let digest = Digest(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<32])) else {
                throw Errno.ioError
            }
            let segment = Int(bytes.load(fromByteOffset: 48, as: UInt32.self))
            let location = ContentLocation(
                segment: segments.elements[segment],
                offset: bytes.load(fromByteOffset: 32, as: UInt64.self),
                byteCount: bytes.load(fromByteOffset: 40, as: UInt64.self)
            )
            return Record(
                digest: digest,
                location: location,
                isVerified: bytes.load(fromByteOffset: 52, as: UInt32.self) == 1
            )
        }
    }
}

/// An open-addressing hash table from 32-bit fingerprints to 32-bit numbers. A fingerprint may occur several times.
///
/// Not thread-safe.
final class ContentTableShard {
    /// The fingerprint in the upper half, the number plus one in the lower; zero is free. At most four fifths are used.
    private var slots = TableMemory<UInt64>(count: 512)
    private var count = 0

    /// The first result that `match` returns for a slot with this fingerprint.
    func first<Result>(
        of fingerprint: UInt32,
        where match: (_ slot: Int, _ number: UInt32) throws -> Result?
    ) rethrows -> Result? {
        var slot = firstSlot(of: fingerprint)
        while case let value = slots[slot], value != 0 {
            if UInt32(truncatingIfNeeded: value >> 32) == fingerprint,
                let result = try match(slot, UInt32(truncatingIfNeeded: value) - 1)
            {
                return result
            }
            slot = next(slot)
        }
        return nil
    }

    /// Changes the number of a used slot.
    func replace(_ slot: Int, with number: UInt32) {
        slots[slot] = (slots[slot] & ~UInt64(UInt32.max)) | UInt64(number) + 1
    }

    /// Uses a free slot. `number` is less than the maximum.
    func insert(_ fingerprint: UInt32, _ number: UInt32) {
        if count >= slots.count / 5 * 4 { grow() }
        put(UInt64(fingerprint) << 32 | UInt64(number) + 1)
        count += 1
    }

    /// The lower 26 bits choose the slot; the others have chosen the table.
    private func firstSlot(of fingerprint: UInt32) -> Int {
        Int((UInt64(fingerprint & 0x3FF_FFFF) &* UInt64(slots.count)) >> 26)
    }

    private func next(_ slot: Int) -> Int { slot + 1 == slots.count ? 0 : slot + 1 }

    private func put(_ value: UInt64) {
        var slot = firstSlot(of: UInt32(truncatingIfNeeded: value >> 32))
        while slots[slot] != 0 { slot = next(slot) }
        slots[slot] = value
    }

    private func grow() {
        let old = slots
        slots = TableMemory(count: old.count + old.count / 2)
        for index in 0..<old.count where old[index] != 0 { put(old[index]) }
    }
}
