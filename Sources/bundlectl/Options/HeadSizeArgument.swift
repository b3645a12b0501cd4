import ArgumentParser

/// The longest request head, on the command line: a size of at most 64 KiB.
struct HeadSizeArgument: ExpressibleByArgument, Equatable {
    /// One field may be as long as the head, and libnghttp2 accepts none that is longer; browsers send much less.
    private static let maximumByteCount: Int64 = 64 << 10

    let byteCount: Int

    init?(argument: String) {
        guard let size = ByteCountArgument(argument: argument), size.byteCount <= Self.maximumByteCount else {
            return nil
        }
        byteCount = Int(size.byteCount)
    }
}
