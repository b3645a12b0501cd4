/// A release whose new index is durable, about to be entered into the catalog in place of the old one.
struct RelocatedRelease: Sendable {
    let id: Int64
    let replacedIndex: FileIdentifier
    let index: FileIdentifier
    let segments: [FileIdentifier]
}
