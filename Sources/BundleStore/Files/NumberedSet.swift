/// Distinct elements, numbered in the order of their first occurrence.
struct NumberedSet<Element: Hashable> {
    private(set) var elements: [Element] = []
    private var numbers: [Element: Int] = [:]
    /// The latest element, which usually comes again.
    private var last: (element: Element, number: Int)?

    /// The number of `element`, which is added if it is new.
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
