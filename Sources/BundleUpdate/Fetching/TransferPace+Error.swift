import BundleStore
import Foundation
import HTTPCore

extension TransferPace.Slowness {
    /// The error to throw for it.
    func error(at url: URL) -> BundleError {
        switch self {
        case .deadline(let limit):
            BundleError(
                .networkUnavailable,
                "\(url.reported) isn't there after \(limit); try again later, or check the server",
                cause: self
            )
        case .rate(let rate):
            BundleError(
                .networkUnavailable,
                "\(url.reported) sends fewer than \(rate) bytes per second; try again later, or lower the least rate",
                cause: self
            )
        }
    }
}
