import BundleStore
import HTTPTypes
import Testing

@testable import BundleServing
@testable import HTTPCore

@Suite("When a delta is sent (RFC 9842)")
struct DeltaSelectionTests {
    private static let content = Digest(of: Array("new".utf8))
    private static let dictionary = Digest(of: Array("old".utf8))

    private func coding(_ accepted: String, _ lengths: [ContentCoding: Int]) -> String? {
        let variants = lengths.map { coding, length in
            let key =
                coding == .dictionaryZstandard
                ? VariantKey(Self.content, from: Self.dictionary) : VariantKey(Self.content, coding)
            return ContentVariant(key, ByteSlice(copying: [UInt8](repeating: 0, count: length)))
        }
        let representation = Representation(
            mediaType: nil,
            content: ByteSlice(copying: [UInt8](repeating: 1, count: 100)),
            entityTag: EntityTag(digest: Self.content),
            variants: variants
        )
        let request = HTTPRequest(
            method: .get,
            scheme: nil,
            authority: nil,
            path: "/",
            headerFields: [.acceptEncoding: accepted]
        )
        return representation.selected(for: request).fields[.contentEncoding]
    }

    /// The field, the lengths of the existing forms, and the coding of the response.
    private static let rows: [(accepted: String, lengths: [ContentCoding: Int], coding: String?)] = [
        ("gzip, br, dcz", [.dictionaryZstandard: 10, .brotli: 20], "dcz"),
        ("gzip, br, dcz", [.dictionaryZstandard: 20, .brotli: 20], "br"),
        ("gzip, br, dcz", [.dictionaryZstandard: 30, .gzip: 20], "gzip"),
        ("gzip, br, dcz", [.dictionaryZstandard: 30], "dcz"),
        ("br;q=0.5, dcz", [.dictionaryZstandard: 10, .brotli: 5], "br"),
        ("br, dcz;q=0.5", [.dictionaryZstandard: 10, .brotli: 20], "br"),
        ("br", [.dictionaryZstandard: 10], nil), ("*", [.dictionaryZstandard: 10], nil),
    ]

    @Test(
        "when it is shorter than what would be sent otherwise",
        arguments: rows
    )
    func shortest(_ accepted: String, _ lengths: [ContentCoding: Int], _ expected: String?) {
        #expect(coding(accepted, lengths) == expected)
    }

    @Test("its tag differs from every other's, also by the dictionary")
    func tags() {
        let keys = [
            VariantKey(Self.content, .gzip), VariantKey(Self.content, .brotli), VariantKey(Self.content, .zstandard),
            VariantKey(Self.content, from: Self.dictionary), VariantKey(Self.content, from: Self.content),
            VariantKey(Self.dictionary, .gzip),
        ]
        let tags = keys.map { EntityTag($0) } + [EntityTag(digest: Self.content)]
        #expect(Set(tags).count == 7)
        #expect(tags.allSatisfy { !$0.isWeak && EntityTag($0.fieldValue) == $0 })
    }
}
