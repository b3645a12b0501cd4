/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1 and §13.1.2): `*`, or a list of tags. A malformed
/// member matches nothing and hides no other member: a malformed `If-Match` fails, and a malformed `If-None-Match` gets
/// the content.
package struct EntityTagCondition {
    private let value: UnsafeRawBufferPointer

    /// - Parameter value: The field's value, which must outlive this.
    package init(_ value: UnsafeRawBufferPointer) {
        self.value = value
    }

    /// Whether it is `*`: any current representation.
    package var isAny: Bool {
        var scanner = FieldScanner(value)
        scanner.skipWhitespace()
        guard scanner.take("*") else { return false }
        scanner.skipWhitespace()
        return scanner.isAtEnd
    }

    /// Whether the tag of an existing representation matches, by strong comparison (RFC 9110 §8.8.3.2).
    package func includesStrongly(_ current: EntityTag?) -> Bool {
        isAny || current.map { tag in !tag.isWeak && lists { !$0 && tag.bytes.elementsEqual($1) } } ?? false
    }

    /// Whether the tag of an existing representation matches, by weak comparison (RFC 9110 §8.8.3.2).
    package func includesWeakly(_ current: EntityTag?) -> Bool {
        isAny || current.map(listsWeakly) ?? false
    }

    /// Whether the list names a tag, by weak comparison; `*` names none.
    package func listsWeakly(_ tag: EntityTag) -> Bool { lists { tag.bytes.elementsEqual($1) } }

    private func lists(_ isMeant: (_ isWeak: Bool, _ opaque: Slice<UnsafeRawBufferPointer>) -> Bool) -> Bool {
        var scanner = FieldScanner(value)
        while scanner.nextMember() {
            if let tag = scanner.entityTag(), scanner.memberEnds() {
                if isMeant(tag.isWeak, tag.opaque) { return true }
            } else {
                // Not `skipMember`: a stray quote would swallow the tags after it.
                _ = scanner.take { $0 != UInt8(ascii: ",") }
            }
        }
        return false
    }
}
