import BundleServing

/// What the cache has for a request.
enum CacheLookup: Sendable {
    /// A response that may be used, fresh or stale.
    case found(CachedVariant)
    /// Responses that other request fields selected (RFC 9111 §4.1), and none for these.
    case otherVariants
    /// Nothing.
    case nothing

    /// The response that may be used.
    var variant: CachedVariant? {
        if case .found(let variant) = self { variant } else { nil }
    }

    /// Why the origin has to be asked when there is no ``variant`` (RFC 9211 §2.2).
    var missReason: CacheStatus.ForwardReason {
        if case .otherVariants = self { .varyMiss } else { .uriMiss }
    }
}
