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
