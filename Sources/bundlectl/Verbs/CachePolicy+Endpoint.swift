import BundleNetwork

extension CachePolicy {
    /// The rules that the endpoint goes by: it answers whoever reaches its address.
    static let endpoint = CachePolicy(isShared: true)
}
