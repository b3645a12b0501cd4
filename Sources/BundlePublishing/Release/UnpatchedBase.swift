import BundleInstall
import BundleStore

/// An earlier release from which no patch leads to the one that is published. A value type; safe to share between threads.
package struct UnpatchedBase: Sendable {
    /// Why there is none.
    package enum Reason: Error, CustomStringConvertible {
        /// Clients fetch about as much without one: the number of bytes.
        case notSmaller(than: Int64)
        /// One of the releases is longer than patches can be made for.
        case tooLarge
        /// The earlier release's archive isn't in the folder.
        case archiveMissing
        /// The file with the archive's name isn't the one that the feed offers.
        case archiveChanged
        /// It couldn't be made.
        case failed(String)

        package var description: String {
            switch self {
            case .notSmaller(let byteCount):
                "it would hardly be smaller than the \(ByteCount.text(byteCount)) that are fetched without it"
            case .tooLarge:
                "patches are made for releases of at most \(ByteCount.text(Int64(PatchLimits.maximumWholeByteCount)))"
            case .archiveMissing: "its archive isn't in the folder"
            case .archiveChanged: "its archive isn't the one that the feed offers"
            case .failed(let problem): problem
            }
        }
    }

    /// The earlier release.
    package let version: BundleVersion
    package let reason: Reason
}
