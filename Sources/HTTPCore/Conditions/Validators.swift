/// The metadata by which a client's stored representation is validated (RFC 9110 §8.8).
public struct Validators: Hashable, Sendable {
    /// The entity tag, when there is one.
    public let entityTag: EntityTag?
    /// When the representation last changed, when that is known.
    public let lastModified: HTTPDate?
    /// Whether the date is a strong validator (§8.8.2.2).
    public let isDateStrong: Bool

    /// What `If-Modified-Since` is compared with when ``lastModified`` isn't known, see
    /// ``Representation/conditionDate``.
    package var conditionDate: HTTPDate?

    /// Creates validators.
    public init(entityTag: EntityTag? = nil, lastModified: HTTPDate? = nil, isDateStrong: Bool = false) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isDateStrong = isDateStrong
    }
}
