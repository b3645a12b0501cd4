import BundleStore
import Foundation
import HTTPTypes

extension Resource {
    /// The resource as HTTP offers it: a strong tag from the digest, the time of the release's activation as
    /// `Last-Modified`, the caching that suits its name, and the manifest's own fields, which win.
    ///
    /// The time of activation, not the file's own: after a rollback the older content is the later one, and a client that
    /// only has a date must be told so.
    public var representation: Representation { representation(variants: nil, for: .identityOnly) }

    /// The same, and its coded forms.
    ///
    /// - Parameters:
    ///   - variants: Where they come from; nil to serve files as they are.
    ///   - accepted: What the client takes.
    public func representation(variants: (any VariantProvider)?, for accepted: AcceptEncoding) -> Representation {
        let fields = fields
        let variants = mayHaveVariants(fields) ? variants : nil
        return Representation(
            mediaType: mediaType,
            content: contents,
            entityTag: EntityTag(digest: asset.digest),
            lastModified: asset.release.activatedAt,
            fields: fields,
            variants: variants?.variants(of: self, for: accepted) ?? [],
            selectingFields: variants == nil ? [] : [.acceptEncoding]
        )
    }

    /// Whether there is, or will be, a coded form of the file. Not when the manifest says that the file is in a coding as it
    /// is, or is to be left as it is (`no-transform`).
    private func mayHaveVariants(_ fields: HTTPFields) -> Bool {
        guard fields[.contentEncoding] == nil, fields[.cacheControl]?.lowercased().contains("no-transform") != true
        else {
            return false
        }
        return isWorthCoding || hasSibling
    }

    private var fields: HTTPFields {
        var fields: HTTPFields = [.cacheControl: cacheControl]
        for field in manifestFields {
            if let name = HTTPField.Name(field.name) { fields[name] = field.value }
        }
        fields[.cacheStatus] = CacheStatus(.hit, detail: "\(layer.rawValue) \(asset.release.version)").fieldValue
        return fields
    }

    /// A page, or anything whose name stays when its content changes, is asked about every time; a fingerprinted file
    /// never again (RFC 8246). A fallback page answers under names that aren't its own.
    private var cacheControl: String {
        let isImmutable = rule == .path && Fingerprint.isPresent(in: fileName) && MediaType(mediaType)?.isPage != true
        return isImmutable ? "max-age=31536000, immutable" : "no-cache"
    }

    /// A hash in a folder's name says nothing certain about the files in it.
    private var fileName: Substring {
        Substring(asset.path.utf8.split(separator: UInt8(ascii: "/")).last ?? asset.path.utf8[...])
    }

    private var manifestFields: [HeaderField] {
        guard let path = try? BundlePath(asset.path) else { return [] }
        return asset.release.manifest.headerFields(for: path)
    }
}
