import BundleStore

extension BundleManifest {
    /// A manifest made of JSON, with this name and version: `members` has the other members, such as
    /// `"origins": [{"url": "https://m.example.com/shop/", "path": "/"}]`.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when it is wrong.
    package static func sample(
        _ name: String = "shop",
        _ version: String = "1.0.0",
        _ members: String = #""origins": [{"url": "https://m.example.com/shop/", "path": "/"}]"#
    ) throws -> BundleManifest {
        let json = #"{"name": "\#(name)", "version": "\#(version)"\#(members.isEmpty ? "" : ", ")\#(members)}"#
        return try parse(Array(json.utf8)).manifest
    }

    /// One of `shop`, or another bundle, with these origins.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidManifest` when one of them is wrong.
    package static func sample(
        _ name: String = "shop",
        _ version: String = "1",
        origins: [String]
    ) throws -> BundleManifest {
        let list = origins.map { #"{"url": "\#($0)", "path": "/"}"# }.joined(separator: ", ")
        return try sample(name, version, #""origins": [\#(list)]"#)
    }
}
