/// A number with its noun: `1 file`, `26 files`.
enum Quantity {
    static func text(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
