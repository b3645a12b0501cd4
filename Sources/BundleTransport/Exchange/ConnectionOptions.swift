import BundleModel
import HTTPTypes

/// The options of a request's `Connection` fields that matter to the connection (RFC 9110 §7.6.1). A value type.
struct ConnectionOptions {
    private(set) var hasClose = false
    private(set) var hasUpgrade = false

    init(_ fields: HTTPFields) {
        for value in fields[values: .connection] {
            for option in value.split(separator: ",") {
                switch option.utf8.trimmingBlanks.map({ $0 | 0x20 }) {
                case Array("close".utf8): hasClose = true
                case Array("upgrade".utf8): hasUpgrade = true
                default: break
                }
            }
        }
    }
}
