import BundleModel
import HTTPCore

/// A manifest of a registry with files as its layers, each with its name as title, as oras(1) writes it (OCI image-spec 1.1, “Guidelines
/// for Artifact Usage”). A value type; safe to share between threads.
package struct OCIManifest: Equatable, Sendable {
    /// Content of the registry.
    package struct Layer: Equatable, Sendable {
        /// The name of the file; nil when others put it there.
        package let title: String?
        /// Its length in bytes.
        package let size: Int64
        /// Its SHA-256.
        package let digest: Digest

        package init(title: String?, size: Int64, digest: Digest) {
            (self.title, self.size, self.digest) = (title, size, digest)
        }
    }

    /// The media type of manifests.
    static let mediaType = "application/vnd.oci.image.manifest.v1+json"
    /// The kind of the manifest that has a feed.
    package static let feedType = "application/vnd.offline-bundles.feed.v1"
    /// The kind of the manifest that has the archive of a release.
    package static let releaseType = "application/vnd.offline-bundles.release.v1"
    /// How many layers a manifest may have.
    package static let maximumLayerCount = 10_000
    /// How long it may be in bytes: registries needn't take longer ones (distribution-spec, “Pushing manifests”).
    package static let maximumByteCount = 4 << 20
    /// The content of the configuration that an artifact has none of.
    package static let emptyConfiguration = Array("{}".utf8)
    private static let titleKey = "org.opencontainers.image.title"
    private static let versionKey = "org.opencontainers.image.version"

    /// What it is; nil for what others have made without it.
    package let artifactType: String?
    /// The layers in their order.
    package let layers: [Layer]
    /// What the whole is called, and which version of that it is; nil for neither.
    package let release: Release?

    /// A release.
    package struct Release: Equatable, Sendable {
        package let title: String
        package let version: String

        package init(title: String, version: String) { (self.title, self.version) = (title, version) }
    }

    /// - Parameter layers: Their order doesn't count: the same layers are the same bytes.
    package init(artifactType: String, layers: [Layer], release: Release? = nil) {
        self.artifactType = artifactType
        self.layers = layers.sorted { ($0.title ?? "", $0.digest.hex) < ($1.title ?? "", $1.digest.hex) }
        self.release = release
    }

    /// Reads one that came from a registry.
    ///
    /// - Parameter name: What messages call it.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when it isn't a manifest of this kind, when two layers have the same
    ///   title, or when one has another title than the name of a file.
    package init(parsing bytes: [UInt8], named name: String) throws(BundleError) {
        let root = try JSONElement(
            parsing: bytes,
            named: name,
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidFeed
        )
        guard try root.member("mediaType")?.string() ?? Self.mediaType == Self.mediaType,
            try root.required("schemaVersion").value == .number(JSONNumber(Int64(2))),
            let list = try root.member("layers")
        else {
            throw root.refused(
                "isn't the manifest of an OCI image or artifact, which a feed is published as; name another tag"
            )
        }
        guard list.count <= Self.maximumLayerCount else {
            throw list.refused("has \(list.count) layers; the limit is \(Self.maximumLayerCount)")
        }
        var titles: Set<String> = []
        var layers: [Layer] = []
        for element in try list.array() {
            let layer = try Self.layer(element)
            if let title = layer.title, !titles.insert(title).inserted {
                throw element.refused("has the title “\(title)” of another layer; publish the feed again")
            }
            layers.append(layer)
        }
        self.layers = layers
        artifactType = try root.member("artifactType")?.string()
        release = nil
    }

    private static func layer(_ element: JSONElement) throws(BundleError) -> Layer {
        let text = try element.required("digest").string()
        guard let digest = OCIDigest.parse(text) else {
            throw element.refused(
                "has the digest “\(Printable.text(text))”, which isn't a SHA-256; publish the feed again"
            )
        }
        guard case .number(let number) = try element.required("size").value, let size = number.int64, size >= 0 else {
            throw element.refused("has a size that isn't a number of bytes; publish the feed again")
        }
        let title = try element.member("annotations")?.member(titleKey)?.string()
        if let title, !OCIReference.isTitle(title) {
            throw element.refused(
                "has the title “\(Printable.text(title))”, which isn't the name of a file; publish the feed again"
            )
        }
        return Layer(title: title, size: size, digest: digest)
    }

    /// The layer with a title; nil when there is none.
    package func layer(titled title: String) -> Layer? { layers.first { $0.title == title } }

    /// Its JSON: sorted, without white space and times, so that the same files make the same manifest.
    package var encoded: [UInt8] {
        var members = [
            JSONObject.Member("config", Self.emptyDescriptor),
            .init("layers", .array(layers.map(Self.descriptor))),
            .init("mediaType", .string(Self.mediaType)),
            .init("schemaVersion", .number(JSONNumber(Int64(2)))),
        ]
        if let artifactType { members.insert(.init("artifactType", .string(artifactType)), at: 0) }
        if let release {
            let annotations = [
                JSONObject.Member(Self.titleKey, .string(release.title)),
                .init(Self.versionKey, .string(release.version)),
            ]
            members.insert(JSONObject.Member("annotations", .object(JSONObject(annotations))), at: 0)
        }
        return JSONWriter.bytes(of: .object(JSONObject(members)), .compact)
    }

    private static var emptyDescriptor: JSONValue {
        .object(
            JSONObject([
                .init("digest", .string(OCIDigest.text(Digest(of: emptyConfiguration)))),
                .init("mediaType", .string("application/vnd.oci.empty.v1+json")),
                .init("size", .number(JSONNumber(Int64(emptyConfiguration.count)))),
            ])
        )
    }

    private static func descriptor(of layer: Layer) -> JSONValue {
        var members = [
            JSONObject.Member("digest", .string(OCIDigest.text(layer.digest))),
            JSONObject.Member("mediaType", .string(mediaType(of: layer.title ?? ""))),
            JSONObject.Member("size", .number(JSONNumber(layer.size))),
        ]
        if let title = layer.title {
            let annotations = JSONObject([JSONObject.Member(titleKey, .string(title))])
            members.insert(JSONObject.Member("annotations", .object(annotations)), at: 0)
        }
        return .object(JSONObject(members))
    }

    /// The type of a file by its name, without parameters, which descriptors haven't (image-spec, “Properties”).
    private static func mediaType(of title: String) -> String {
        let types = [
            (".json", "application/json"), (".zip", "application/zip"), (".tar", "application/x-tar"),
            (".gz", "application/gzip"), (".tgz", "application/gzip"), (".zst", "application/zstd"),
        ]
        return types.first { title.hasSuffix($0.0) }?.1 ?? "application/octet-stream"
    }
}

/// A digest as registries write it: `sha256:` and 64 hexadecimal digits in lower case (image-spec, “Digests”).
package enum OCIDigest {
    private static let prefix = "sha256:"

    /// Nil for another algorithm or form.
    package static func parse(_ text: String) -> Digest? {
        guard text.hasPrefix(prefix), let digest = Digest(hex: text.dropFirst(prefix.count)), self.text(digest) == text
        else { return nil }
        return digest
    }

    package static func text(_ digest: Digest) -> String { prefix + digest.hex }
}
