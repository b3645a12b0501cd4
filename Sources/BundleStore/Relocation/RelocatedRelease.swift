/// A release whose new index is durable, before it replaces the old one in the catalog.
struct RelocatedRelease: Sendable {
    let id: Int64
    let replacedIndex: FileIdentifier
    let index: FileIdentifier
    let segments: [FileIdentifier]
}
