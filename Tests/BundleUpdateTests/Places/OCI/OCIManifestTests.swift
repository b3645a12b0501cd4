import BundleModel
import BundleTesting
import Testing

@testable import BundleUpdate

/// What is read of manifests, and how they are written.
struct OCIManifestTests {
    private static let digest = Digest(of: Array("content".utf8))

    private static func parse(_ text: String) throws -> OCIManifest {
        try OCIManifest(parsing: Array(text.utf8), named: "oci://r/a:feed")
    }

    private static func layer(_ title: String = "a.zip", digest: String = OCIDigest.text(digest), size: String = "7")
        -> String
    {
        #"{"digest":"\#(digest)","size":\#(size),"annotations":{"org.opencontainers.image.title":"\#(title)"}}"#
    }

    private static func manifest(_ layers: String, version: Int = 2, type: String = OCIManifest.mediaType) -> String {
        #"{"schemaVersion":\#(version),"mediaType":"\#(type)","layers":[\#(layers)]}"#
    }

    @Test func `the same files make the same bytes, in any order`() throws {
        let layers = ["shop-1.0.0.zip", "feed.json", "1.root.json", "a.patch"].map {
            OCIManifest.Layer(title: $0, size: 7, digest: Self.digest)
        }
        let manifest = OCIManifest(artifactType: OCIManifest.feedType, layers: layers)
        #expect(manifest.encoded == OCIManifest(artifactType: OCIManifest.feedType, layers: layers.reversed()).encoded)
        let hex = Self.digest.hex
        let expected =
            #"{"artifactType":"application/vnd.offline-bundles.feed.v1","config":{"digest":"#
            + #""sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","#
            + #""mediaType":"application/vnd.oci.empty.v1+json","size":2},"layers":["#
            + [
                ("1.root.json", "application/json"), ("a.patch", "application/octet-stream"),
                ("feed.json", "application/json"), ("shop-1.0.0.zip", "application/zip"),
            ]
            .map {
                #"{"annotations":{"org.opencontainers.image.title":"\#($0.0)"},"digest":"sha256:\#(hex)","mediaType":"\#($0.1)","size":7}"#
            }
            .joined(separator: ",")
            + #"],"mediaType":"application/vnd.oci.image.manifest.v1+json","schemaVersion":2}"#
        #expect(String(decoding: manifest.encoded, as: UTF8.self) == expected)
        let read = try OCIManifest(parsing: manifest.encoded, named: "it")
        #expect(read == manifest)
        #expect(read.layer(titled: "feed.json")?.digest == Self.digest && read.layer(titled: "b") == nil)
    }

    @Test func `a release has its name and its version as annotations`() {
        let manifest = OCIManifest(
            artifactType: OCIManifest.releaseType,
            layers: [],
            release: OCIManifest.Release(title: "shop", version: "1.0.0+x")
        )
        let text = String(decoding: manifest.encoded, as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"annotations":{"org.opencontainers.image.title":"shop","org.opencontainers.image.version":"1.0.0+x"},"artifactType":"#
            )
        )
    }

    @Test func `what others have put there is left alone`() throws {
        let foreign =
            #"{"mediaType":"x/y","digest":"\#(OCIDigest.text(Self.digest))","size":1,"urls":[],"annotations":{"a":"b"}}"#
        let manifest = try Self.parse(Self.manifest(foreign + "," + Self.layer()))
        #expect(manifest.layers.map(\.title) == [nil, "a.zip"] && manifest.artifactType == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"schemaVersion":2}"#, #"{"schemaVersion":2,"layers":{}}"#,
        manifest(layer(), version: 1), manifest(layer(), type: "application/vnd.oci.image.index.v1+json"),
        manifest("7"), manifest("{}"), manifest(layer() + "," + layer()), manifest(layer("")), manifest(layer("..")),
        manifest(layer("a/b")), manifest(layer("a b")), manifest(layer(#"a\\b"#)), manifest(layer(#"a\u0000"#)),
        manifest(layer(#"a\u001b[2J"#)), manifest(layer("ä")), manifest(layer(String(repeating: "x", count: 256))),
        manifest(layer(digest: "sha512:" + digest.hex)), manifest(layer(digest: "sha256:" + digest.hex.uppercased())),
        manifest(layer(digest: "sha256:00")), manifest(layer(digest: "../../x")), manifest(layer(size: "-1")),
        manifest(layer(size: "1.5")), manifest(layer(size: "99999999999999999999")), manifest(layer(size: #""7""#)),
    ])
    func `another document is refused`(_ text: String) {
        let error = #expect(throws: BundleError.self) { try Self.parse(text) }
        #expect(error?.code == .invalidFeed)
    }

    @Test func `more layers than a feed has are refused, however short`() {
        let layers = (0...OCIManifest.maximumLayerCount).map { Self.layer("\($0)") }.joined(separator: ",")
        #expect(throws: BundleError.self) { try Self.parse(Self.manifest(layers)) }
    }
}
