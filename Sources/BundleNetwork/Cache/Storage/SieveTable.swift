/// A table with a limit, which evicts by SIEVE: Zhang et al., “SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction
/// Algorithm for Web Caches”, NSDI '24.
///
/// The elements stand in the order in which they were inserted. A hit only marks an element. A hand moves from the oldest
/// to the newest: it spares marked elements once, where they are, and evicts the others. So what is requested only once,
/// as by a scan, leaves before what is requested again. Every operation takes O(1), eviction on average.
struct SieveTable<Key: Hashable, Value> {
    private struct Node {
        let key: Key
        var value: Value
        var cost: Int
        var isVisited = false
        /// The next newer and the next older element; ``SieveTable/none`` at the ends.
        var newer: Int
        var older: Int
    }

    private static var none: Int { -1 }

    /// The largest sum of costs.
    let capacity: Int
    /// The sum of the elements' costs.
    private(set) var cost = 0
    private var places: [Key: Int] = [:]
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newest = SieveTable.none
    private var oldest = SieveTable.none
    private var hand = SieveTable.none

    init(capacity: Int) {
        self.capacity = max(capacity, 0)
    }

    /// The number of elements.
    var count: Int { places.count }

    /// An element; it counts as requested.
    mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        nodes[place]?.isVisited = true
        return nodes[place]?.value
    }

    /// Sets an element, new or not. Doesn't evict; see ``evict(sparing:)``.
    mutating func set(_ value: Value, for key: Key, cost: Int) {
        if let place = places[key], let node = nodes[place] {
            self.cost += cost - node.cost
            nodes[place]?.value = value
            nodes[place]?.cost = cost
            return
        }
        let node = Node(key: key, value: value, cost: cost, newer: Self.none, older: newest)
        let place = free.popLast() ?? nodes.count
        if place < nodes.count { nodes[place] = node } else { nodes.append(node) }
        if newest != Self.none { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
        places[key] = place
        self.cost += cost
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
        if hand == place { hand = node.newer }
        if node.newer != Self.none { nodes[node.newer]?.older = node.older } else { newest = node.older }
        if node.older != Self.none { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
        nodes[place] = nil
        free.append(place)
        cost -= node.cost
        return node.value
    }

    /// Evicts until the rest is within the capacity, or a smaller one.
    ///
    /// - Parameter isSpared: Whether an element must stay, even if the capacity is exceeded.
    mutating func evict(to capacity: Int? = nil, sparing isSpared: (Value) -> Bool = { _ in false }) {
        let capacity = capacity ?? self.capacity
        // Twice: the first time each may be marked.
        var remaining = 2 * count
        while cost > capacity, remaining > 0 {
            remaining -= 1
            let place = hand == Self.none ? oldest : hand
            guard place != Self.none, let node = nodes[place] else { return }
            hand = node.newer
            if node.isVisited || isSpared(node.value) {
                nodes[place]?.isVisited = false
            } else {
                remove(node.key)
            }
        }
    }
}
