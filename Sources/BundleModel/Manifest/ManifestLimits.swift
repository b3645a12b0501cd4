/// Limits on the content of a manifest, besides its size. They apply when a manifest is installed; a release that was
/// installed before there were limits is still served.
enum ManifestLimits {
    /// Each pattern is compared once with each file.
    static let headerPatternCount = 1_000
    static let headerPatternByteCount = 32 << 10
    /// Each pattern is compared with each file of the release while it is installed.
    static let immutableCount = 250
    static let immutableByteCount = 4 << 10
    /// Each pattern is compared with the path of each navigation, which the client chooses: so the limits are lower,
    /// and comparisons that take more than microseconds don't run on an event loop.
    static let routeCount = 250
    static let routeByteCount = 4 << 10
    static let originCount = 1_000
    static let mediaTypeCount = 1_000

    /// Throws for an element with more members or elements than `limit`.
    static func check(
        _ element: JSONElement,
        atMost limit: Int,
        _ what: String,
        advice: String
    ) throws(BundleError) {
        guard element.count <= limit else {
            throw element.refused("has \(element.count) \(what); the limit is \(limit); \(advice)")
        }
    }

    /// Throws for patterns whose total length exceeds `limit`.
    static func check(
        _ patterns: some Sequence<PathPattern>,
        ofAtMost limit: Int,
        in element: JSONElement
    ) throws(BundleError) {
        let byteCount = patterns.reduce(0) { $0 + $1.string.utf8.count }
        guard byteCount <= limit else {
            throw element.refused("has patterns of \(byteCount) bytes together; the limit is \(limit); \(shorten)")
        }
    }

    static let shorten = "cover many paths with one “*” or “**”"
}
