/// What tells whether a representation is still the one that a client has (RFC 9110 §8.8).
public struct Validators: Hashable, Sendable {
    /// The entity tag, when there is one.
    public let entityTag: EntityTag?
    /// When the representation last changed, when that is known.
    public let lastModified: HTTPDate?
    /// Whether the date names one content in one coding, and not another one of the same second (§8.8.2.2).
    public let isDateStrong: Bool

    /// Joins what is known.
    public init(entityTag: EntityTag? = nil, lastModified: HTTPDate? = nil, isDateStrong: Bool = false) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isDateStrong = isDateStrong
    }
}
