import BundleStore

extension ProductVersion {
    /// The User-Agent of this program's own requests (RFC 9110 §10.1.5).
    static let userAgent = "bundlectl/\(string)"
}
