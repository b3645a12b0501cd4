/// The most frequent texts of a stream, in bounded memory: Space-Saving (Metwally, Agrawal, El Abbadi: “Efficient
/// Computation of Frequent and Top-k Elements in Data Streams”, ICDT 2005), with the filter of Homem and Carvalho
/// (“Finding top-k elements in data streams”, Information Sciences 180, 2010).
///
/// A text that isn't among the items is counted in a cell that it shares with others. It takes the place of the rarest
/// item once its cell has counted more than that item, and the cell's count is its error. So any number of texts that
/// come once each push out only items that are rarer than the texts of one cell together.
package struct FrequentItems {
    private struct Item {
        var count: Int64
        /// By how much the count may be too high.
        let error: Int64
    }

    private let capacity: Int
    /// Empty until the items are full, as most streams never are.
    private var cells: [Int64] = []
    private let cellCount: Int
    private var items: [String: Item] = [:]
    /// No item is rarer than this.
    private var leastCount: Int64 = 0

    /// - Parameters:
    ///   - capacity: The most items, 1 or more.
    ///   - cellCount: The number of cells for all other texts, 1 or more.
    package init(capacity: Int = 256, cellCount: Int = 2_048) {
        self.capacity = max(capacity, 1)
        self.cellCount = max(cellCount, 1)
    }

    /// Whether nothing has been added.
    var isEmpty: Bool { items.isEmpty }

    /// Adds a text once or several times.
    package mutating func add(_ text: String, count: Int64 = 1) {
        if let item = items[text] {
            items[text] = Item(count: item.count &+ count, error: item.error)
        } else if items.count < capacity {
            items[text] = Item(count: count, error: 0)
        } else {
            replace(by: text, count)
        }
    }

    private mutating func replace(by text: String, _ count: Int64) {
        if cells.isEmpty { cells = Array(repeating: 0, count: cellCount) }
        let cell = cell(of: text)
        let error = cells[cell]
        // Only then it is worth searching for the rarest.
        guard error &+ count > leastCount, let rarest = items.min(by: { $0.value.count < $1.value.count }) else {
            cells[cell] = error &+ count
            return
        }
        leastCount = rarest.value.count
        guard error &+ count > leastCount else {
            cells[cell] = error &+ count
            return
        }
        items[rarest.key] = nil
        let other = self.cell(of: rarest.key)
        cells[other] = max(cells[other], rarest.value.count)
        items[text] = Item(count: error &+ count, error: error)
    }

    /// Swift's hashes are seeded at random for each process, so that nobody can choose texts of one cell.
    private func cell(of text: String) -> Int { Int(UInt(bitPattern: text.hashValue) % UInt(cellCount)) }

    /// How often each item has come at least, without those of which that is unknown.
    package var counts: [(text: String, count: Int64)] {
        items.compactMap { text, item in
            let certain = item.count - item.error
            return certain > 0 ? (text, certain) : nil
        }
    }
}

/// The texts with the longest times of a stream, in bounded memory: one that is quicker than all of them is left out.
struct SlowestItems {
    /// The times of a text.
    struct Times: Equatable {
        var count: Int64
        var (milliseconds, maximum): (Int64, Int64)
    }

    private let capacity: Int
    private(set) var items: [String: Times] = [:]
    /// No item's longest time is shorter than this.
    private var leastMaximum: Int64 = 0

    /// - Parameter capacity: The most items, 1 or more.
    init(capacity: Int = 256) {
        self.capacity = max(capacity, 1)
    }

    /// Adds the times of a text.
    mutating func add(_ text: String, _ times: Times) {
        if let known = items[text] {
            items[text] = Times(
                count: known.count &+ times.count,
                milliseconds: known.milliseconds &+ times.milliseconds,
                maximum: max(known.maximum, times.maximum)
            )
        } else if items.count < capacity {
            items[text] = times
        } else if times.maximum > leastMaximum, let quickest = items.min(by: { $0.value.maximum < $1.value.maximum }) {
            leastMaximum = quickest.value.maximum
            guard times.maximum > leastMaximum else { return }
            items[quickest.key] = nil
            items[text] = times
        }
    }
}
