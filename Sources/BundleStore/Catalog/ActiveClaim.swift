import Foundation
import GRDB

/// The claims of a release according to its row, whether or not the row is damaged.
struct ActiveClaim {
    /// Nil when neither the row nor its manifest names it.
    let bundle: BundleName?
    /// Nil when it can't be read, or belongs to another bundle.
    let manifest: BundleManifest?

    init(_ row: Row) {
        let parsed = row.value("manifest", as: Data.self).flatMap { try? BundleManifest.parse(stored: Array($0)) }
        bundle = row.text("bundle").flatMap(BundleName.init) ?? parsed?.name
        manifest = parsed?.name == bundle ? parsed : nil
    }
}
