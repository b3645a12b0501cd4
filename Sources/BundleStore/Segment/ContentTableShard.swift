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
