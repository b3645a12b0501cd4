/// What patches may ask of those who make and apply them.
package enum PatchLimits {
    /// The longest listing and contents of a release in bytes: 128 MiB. A larger release gets no patches; its changed
    /// files are fetched one by one. It bounds the time of a step that can't be cancelled, and the disk that applying
    /// takes.
    package static let maximumWholeByteCount = 128 << 20
    /// The longest patch in bytes: 32 MiB. It is held in memory while it is applied.
    package static let maximumByteCount = 32 << 20
    /// The longest instructions of a patch in bytes: 1 MiB. A copy takes at least three bytes.
    static let maximumInstructionByteCount = 1 << 20
}
