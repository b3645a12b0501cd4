/// Distinct elements, numbered in the order in which they first came.
struct NumberedSet<Element: Hashable> {
    private(set) var elements: [Element] = []
    private var numbers: [Element: Int] = [:]

    /// The number of `element`, which is added when it is new.
    mutating func number(of element: Element) -> Int {
        if let number = numbers[element] { return number }
        let number = elements.count
        numbers[element] = number
        elements.append(element)
        return number
    }
}
