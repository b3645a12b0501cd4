import BundleModel
import HTTPTypes
import NIOHTTP1

extension HTTPResponse {
    /// Converts a head. A field whose name isn't a token is left out: nothing downstream could write it again.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the status isn't that of a final
    ///   response.
    init(status: HTTPResponseStatus, fields: HTTPHeaders) throws {
        guard (200...599).contains(status.code) else {
            throw BundleError(.networkUnavailable, "the server responded with status \(status.code); check the address")
        }
        var converted = HTTPFields()
        for (name, value) in fields {
            guard let name = HTTPField.Name(name) else { continue }
            converted.append(HTTPField(name: name, value: value))
        }
        let status = HTTPResponse.Status(code: Int(status.code), reasonPhrase: status.reasonPhrase)
        self.init(status: status, headerFields: converted)
    }
}
