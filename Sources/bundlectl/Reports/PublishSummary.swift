import BundleNetwork
import BundleStore

/// The result of `publish`.
struct PublishSummary: Report {
    let name: String
    let version: String
    let feed: String
    let archive: String
    let size: Int64
    let sha256: String
    let channels: [String]
    let isRepeated: Bool

    init(_ publication: Publication, of name: BundleName) {
        self.name = name.string
        version = publication.entry.version.string
        feed = publication.feedPath
        archive = publication.archivePath
        size = publication.entry.size
        sha256 = publication.entry.digest.hex
        channels = publication.entry.channels
        isRepeated = publication.isRepeated
    }

    var lines: [String] {
        let audience = channels.isEmpty ? "every channel" : channels.map(Printable.line).joined(separator: ", ")
        let feed = Printable.line(feed)
        if isRepeated { return ["\(name)@\(version) is in \(feed) already; it is offered for \(audience) now"] }
        return ["published \(name)@\(version) in \(feed) (\(ByteCount.text(size)), for \(audience))"]
    }
}
