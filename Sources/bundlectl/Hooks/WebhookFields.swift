import BundleStore
import HTTPTypes

/// The fields that an operator adds to a webhook's requests, such as `Authorization`.
enum WebhookFields {
    /// Reads a file with a field on each line. What is wrong with one is said without its value, which may be secret.
    ///
    /// - Throws: `BundleError` as ``SecretFile/lines(of:)``, and with code `invalidArgument` for a line that is no field, or one
    ///   that the webhook sets itself.
    static func read(_ path: String) throws(BundleError) -> HTTPFields {
        var fields = HTTPFields()
        for (index, line) in try SecretFile.lines(of: path).enumerated() {
            guard let field = field(line) else {
                throw BundleError(
                    .invalidArgument,
                    "line \(index + 1) of \(Printable.line(path)) isn't a field that can be added: a name, a colon and a value in "
                        + "printable ASCII, such as “Authorization: Bearer …”; the webhook sets those of the content, of the "
                        + "connection, Host, User-Agent and webhook-… itself"
                )
            }
            fields.append(field)
        }
        return fields
    }

    /// Nil when it isn't one, or is set by the webhook itself.
    private static func field(_ line: String) -> HTTPField? {
        guard let field = try? ResponseFieldOptions.field(line), let name = HTTPField.Name(field.name),
            !["expect", "host", "user-agent"].contains(name.canonicalName), !name.canonicalName.hasPrefix("webhook-")
        else { return nil }
        return HTTPField(name: name, value: field.value)
    }
}
