/// How many bytes the releases' files had at a generation of the catalog. A value.
struct KnownContent: Sendable {
    let generation: Int64
    let byteCount: Int64
}
