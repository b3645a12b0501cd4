/// Where a content is: a stretch of a segment file, counted from the file's start.
struct ContentLocation: Hashable, Sendable {
    let segment: FileIdentifier
    let offset: UInt64
    let byteCount: UInt64
}
