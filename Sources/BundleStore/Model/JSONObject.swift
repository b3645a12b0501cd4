/// The members of a JSON object, in the order in which they were written.
package struct JSONObject: Equatable, Sendable {
    /// A name and its value.
    package struct Member: Equatable, Sendable {
        package let key: String
        package let value: JSONValue

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members; no key appears twice when the parser made the object.
    package let members: [Member]

    package init(_ members: [Member]) {
        self.members = members
    }

    /// The value of `key`, or nil. Takes time linear in the number of members.
    package subscript(key: String) -> JSONValue? {
        members.first { $0.key == key }?.value
    }
}
