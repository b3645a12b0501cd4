/// Distinct elements, numbered in the order in which they first came.
struct NumberedSet<Element: Hashable> {
    private(set) var elements: [Element] = []
    private var numbers: [Element: Int] = [:]
    /// What came last, which mostly comes again.
    private var last: (element: Element, number: Int)?

    /// The number of `element`, which is added when it is new.
    mutating func number(of element: Element) -> Int {
        if let last, last.element == element { return last.number }
        let number = numbers[element] ?? add(element)
        last = (element, number)
        return number
    }

    private mutating func add(_ element: Element) -> Int {
        let number = elements.count
        numbers[element] = number
        elements.append(element)
        return number
    }
}
