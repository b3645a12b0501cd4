import BundleServing

/// What the cache has for a request.
indirect enum CacheLookup: Sendable {
    /// A response that may be used, fresh or stale.
    case found(CachedVariant)
    /// Only responses that are selected by other request fields (RFC 9111 §4.1).
    case otherVariants
    /// Nothing.
    case nothing

    /// The response that may be used.
    var variant: CachedVariant? {
        if case .found(let variant) = self { variant } else { nil }
    }

    /// Why the origin must be asked when there is no ``variant`` (RFC 9211 §2.2).
    var missReason: CacheStatus.ForwardReason {
        if case .otherVariants = self { .varyMiss } else { .uriMiss }
    }
}
