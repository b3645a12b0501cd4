import BundleStore
import HTTPTypes

extension HTTPFields {
    /// A copy with the fields removed, replaced and added, in this order. What rules may not change is left alone, even
    /// if a rule says so.
    func edited(by edit: FieldEdit, in message: EditableField.Message) -> HTTPFields {
        guard !edit.isEmpty else { return self }
        var fields = self
        for name in edit.remove where EditableField.permission(for: name, in: message) != .nothing {
            if let name = HTTPField.Name(name) { fields[fields: name] = [] }
        }
        for (name, value) in Self.allowed(edit.set, message) { fields[name] = value }
        for (name, value) in Self.allowed(edit.add, message) { fields.append(HTTPField(name: name, value: value)) }
        return fields
    }

    private static func allowed(
        _ fields: [HeaderField],
        _ message: EditableField.Message
    ) -> [(HTTPField.Name, String)] {
        fields.compactMap { field in
            guard EditableField.permission(for: field.name, in: message) == .any else { return nil }
            return HTTPField.Name(field.name).map { ($0, field.value) }
        }
    }

    /// A copy without what a client sends to one origin alone (RFC 6265 §5.4, RFC 9110 §11.6.2).
    var withoutCredentials: HTTPFields {
        var fields = self
        for name in [HTTPField.Name.cookie, .authorization] { fields[fields: name] = [] }
        return fields
    }
}
