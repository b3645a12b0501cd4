extension Array {
    /// The elements without those whose key an element further on has too. The order stays.
    func lastOfEach<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return reversed().filter { seen.insert(key($0)).inserted }.reversed()
    }
}
