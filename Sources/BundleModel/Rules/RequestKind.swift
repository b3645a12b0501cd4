/// What a client fetches something for: a group of the destinations that browsers name in `Sec-Fetch-Dest` (Fetch
/// §2.2.5 “destination”).
package enum RequestKind: String, CaseIterable, Sendable {
    /// A page, in a window or a frame.
    case navigation
    /// A script or a worklet.
    case script
    /// A style sheet.
    case style
    /// An image.
    case image
    /// A font.
    case font
    /// Audio, video, or a text track.
    case media
    /// What a script asks for: `fetch`, `XMLHttpRequest`, `EventSource`, `sendBeacon`.
    case fetch
    /// The script of a worker of any kind.
    case worker
    /// Everything else, and requests of clients that don't say.
    case other

    /// The kind of a destination; any unknown one is ``other``.
    package init(destination: String) {
        self = Self.kinds[destination] ?? .other
    }

    /// `embed` and `object` aren't navigations here, as for offline pages: they mostly show an image or a PDF.
    private static let kinds: [String: RequestKind] = [
        "document": .navigation, "iframe": .navigation, "frame": .navigation, "fencedframe": .navigation,
        "script": .script, "audioworklet": .script, "paintworklet": .script, "json": .script, "text": .script,
        "style": .style, "image": .image, "font": .font,
        "audio": .media, "video": .media, "track": .media,
        "empty": .fetch,
        "worker": .worker, "sharedworker": .worker, "serviceworker": .worker,
    ]
}
