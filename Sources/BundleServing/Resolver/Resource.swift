import BundleStore
import Foundation
import HTTPTypes

/// A bundled file that is served for a URL, and the rule that selected it. Holding it keeps its bytes readable.
///
/// Immutable; safe to share between threads.
public struct Resource: Sendable {
    /// Which release of the bundle has the file.
    public enum Layer: String, Sendable {
        /// The active one.
        case active
        /// An earlier one, requested by a page that is still open on it.
        case retained
    }

    /// The rule that selected the file.
    public enum Rule: String, Sendable {
        /// The path names the file.
        case path
        /// The path names the bundle's root, where the manifest's entry page is served.
        case entry
        /// The path names a folder, where its `index.html` is served.
        case index
        /// The path is a client-side route that the manifest's fallback covers.
        case fallback
        /// There is neither a file nor a network, and the manifest's offline page is served.
        case offlinePage
    }

    /// The file.
    public let asset: Asset
    /// Its bytes, as a part of the mapped store.
    public let contents: ByteSlice
    /// A copy of its bytes. ``contents`` gives them without one.
    public var data: Data { contents.data }
    /// Which release has it.
    public let layer: Layer
    /// The rule that selected it.
    public let rule: Rule

    /// Returns nil when the file's bytes can't be read: a damaged file isn't served.
    init?(_ asset: Asset?, layer: Layer, rule: Rule) {
        guard let asset, let contents = asset.contents else { return nil }
        self.init(asset, contents, layer: layer, rule: rule)
    }

    /// - Parameter contents: The file's content, wherever it was found.
    init(_ asset: Asset, _ contents: ByteSlice, layer: Layer, rule: Rule) {
        self.asset = asset
        self.contents = contents
        self.layer = layer
        self.rule = rule
    }

    /// Whether its bytes or its metadata could not be read, see ``/BundleModel/ByteSlice/hasFaulted``: check it after
    /// use.
    public var hasFaulted: Bool { contents.hasFaulted || asset.release.hasFaulted }

    /// The value for `Content-Type`.
    public var mediaType: String { asset.mediaType }
}

extension Resource {
    /// The resource as an HTTP representation: a strong tag from the digest, the time of the release's activation as
    /// `Last-Modified`, `Cache-Control` by its name, and the manifest's own fields, which take precedence.
    ///
    /// The time of activation, not the file's own: after a rollback the older content is the later one, and a client
    /// that only has a date must detect that.
    public var representation: Representation { representation(variants: nil, for: nil) }

    /// The same, with its coded forms.
    ///
    /// - Parameters:
    ///   - variants: The source of coded forms; nil to serve files as they are.
    ///   - preferences: The codings that the client accepts; nil for a client that gets the file as it is, while others
    ///     get it coded. `Vary` is the same for both: the client's next request may come another way.
    package func representation(
        variants: (any VariantProvider)?,
        for preferences: CodingPreferences?
    ) -> Representation {
        var fields = fields
        let variants = variants.flatMap { mayHaveVariants(fields) ? $0 : nil }
        let pattern = variants == nil || !hasOwnName ? nil : asset.namePattern
        if let pattern, preferences != nil {
            fields[.useAsDictionary] = "match=\(StructuredField.string(pattern).serialised)"
        }
        // Without a pattern there is no delta, even if the same content has a pattern under another name.
        let accepted = pattern == nil ? preferences?.withoutDictionary : preferences
        return Representation(
            mediaType: mediaType,
            content: contents,
            entityTag: EntityTag(digest: asset.digest),
            lastModified: asset.release.activatedAt,
            fields: fields,
            variants: accepted.flatMap { variants?.variants(of: asset, for: $0) } ?? [],
            selectingFields: variants == nil ? [] : [.acceptEncoding] + (pattern == nil ? [] : [.availableDictionary])
        )
    }

    /// Whether coded forms may be sent: not if the manifest says `no-transform`.
    private func mayHaveVariants(_ fields: HTTPFields) -> Bool {
        fields[.cacheControl]?.lowercased().contains("no-transform") != true && asset.mayHaveVariants
    }

    private var fields: HTTPFields {
        var fields: HTTPFields = [.cacheControl: cacheControl]
        for field in asset.headerFields {
            if let name = HTTPField.Name(field.name) { fields[name] = field.value }
        }
        fields[.cacheStatus] = CacheStatus(.hit, detail: "\(layerText) \(asset.release.version)").fieldValue
        return fields
    }

    /// `stand-in` for a release that replaces a damaged active one.
    private var layerText: String {
        layer == .active && asset.release.state != .active ? "stand-in" : layer.rawValue
    }

    private var cacheControl: String { permanence == nil ? "no-cache" : "max-age=31536000, immutable" }

    /// Why browsers may keep the response without asking again (RFC 8246); nil when they may not: a page, or anything whose
    /// name stays when its content changes, is revalidated every time. A fallback page is served under names that aren't
    /// its own.
    package var permanence: Immutability? { hasOwnName ? asset.permanence : nil }

    /// Whether the URL ends in the file's name. A hash in a folder's name says nothing certain about the files in it.
    private var hasOwnName: Bool { rule == .path }
}

extension Asset {
    /// Why browsers may keep the file without asking again; nil when they may not. A page never is kept, whatever its
    /// name: it leads to the files of one release.
    package var permanence: Immutability? {
        immutability.flatMap { MediaType(mediaType)?.isPage == true ? nil : $0 }
    }
}

extension ResponseSource {
    /// Creates the source of a response of a release, or of the active one of the bundle that covers the URL; of no release
    /// where no bundle covers it.
    package init(_ layer: Layer, _ release: Release) {
        self.init(layer, release.isUnbundled ? nil : release.releaseName)
    }
}
