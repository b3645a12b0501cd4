/// The size in bytes of the releases' files at a generation of the catalog. A value.
struct KnownContent: Sendable {
    let generation: Int64
    let byteCount: Int64
}
