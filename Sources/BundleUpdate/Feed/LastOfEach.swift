extension Array {
    /// The elements without those whose key a later element has too, in the same order.
    package func lastOfEach<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return reversed().filter { seen.insert(key($0)).inserted }.reversed()
    }
}
