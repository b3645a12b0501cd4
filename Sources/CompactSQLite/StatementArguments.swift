/// The values of a statement's parameters, in order.
public struct StatementArguments: ExpressibleByArrayLiteral {
    let values: [DatabaseValue]

    public init(arrayLiteral values: (any DatabaseValueConvertible)?...) {
        self.values = values.map { $0?.databaseValue ?? .null }
    }

    public init(_ values: some Sequence<some DatabaseValueConvertible>) {
        self.values = values.map(\.databaseValue)
    }

    public init() {
        values = []
    }
}
