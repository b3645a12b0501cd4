/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1 and §13.1.2): `*`, or a list of tags.
enum EntityTagCondition: Equatable {
    /// `*`: whatever the resource has now.
    case any
    /// One of these. May be empty, which nothing matches.
    case oneOf([EntityTag])

    /// Reads a field value. A member that isn't a tag matches nothing and hides no other: then an `If-Match` that can't be
    /// understood fails, and an `If-None-Match` that can't be understood gets the content.
    init(_ fieldValue: String) {
        var scanner = FieldScanner(fieldValue)
        var tags: [EntityTag] = []
        while scanner.nextMember() {
            if let tag = EntityTag(scanning: &scanner), scanner.memberEnds() {
                tags.append(tag)
            } else {
                // Not `skipMember`: a stray quote would swallow the tags behind it.
                _ = scanner.take { $0 != UInt8(ascii: ",") }
            }
        }
        self = fieldValue.filter { $0 != " " && $0 != "\t" } == "*" ? .any : .oneOf(tags)
    }

    /// Whether the tag of a representation that exists is among those meant, by the given comparison.
    func includes(_ current: EntityTag?, by matches: (EntityTag) -> (EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let tags): current.map { tags.contains(where: matches($0)) } ?? false
        }
    }
}
