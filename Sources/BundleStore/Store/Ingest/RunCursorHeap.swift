/// Cursors in several runs, as a binary heap ordered by their keys, smallest first.
struct RunCursorHeap {
    private var cursors: [RunCursor] = []

    init(_ cursors: [RunCursor]) throws {
        for cursor in cursors {
            try cursor.advance()
            if cursor.record != nil { self.cursors.append(cursor) }
        }
        for index in self.cursors.indices.reversed() { sink(index) }
    }

    /// The record with the smallest key, valid until ``advanceFirst()``; nil when all runs are exhausted.
    var first: IngestRecord? { cursors.first?.record }

    mutating func advanceFirst() throws {
        guard let first = cursors.first else { return }
        try first.advance()
        if first.record == nil {
            cursors.swapAt(0, cursors.count - 1)
            cursors.removeLast()
        }
        sink(0)
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < cursors.count && precedes(child, smallest) {
                smallest = child
            }
            guard smallest != index else { return }
            cursors.swapAt(index, smallest)
            index = smallest
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        guard let left = cursors[left].record, let right = cursors[right].record else { return false }
        return left.key.precedes(right.key)
    }
}
