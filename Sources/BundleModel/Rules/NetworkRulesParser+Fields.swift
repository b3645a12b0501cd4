extension NetworkRulesParser {
    func requestFields(_ element: JSONElement) throws(BundleError) -> FieldEdit {
        try edit(element, in: .request)
    }

    func responseFields(_ element: JSONElement) throws(BundleError) -> FieldEdit {
        try edit(element, in: .response)
    }

    private func edit(_ element: JSONElement, in message: EditableField.Message) throws(BundleError) -> FieldEdit {
        try refuseUnknown(in: element, FieldEdit.Key.self)
        var edit = FieldEdit()
        if let set = try element.member(FieldEdit.Key.set.rawValue) { edit.set = try fields(set, in: message) }
        if let add = try element.member(FieldEdit.Key.add.rawValue) { edit.add = try fields(add, in: message) }
        if let remove = try element.member(FieldEdit.Key.remove.rawValue) {
            edit.remove = try names(remove, in: message)
        }
        return edit
    }

    /// The fields of an object from name to value.
    func fields(_ element: JSONElement, in message: EditableField.Message) throws(BundleError) -> [HeaderField] {
        try limit(element)
        var fields: [HeaderField] = []
        for (name, element) in try element.members() {
            guard !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw element.refused("the field is named twice, which differs in upper and lower case only; keep one")
            }
            let value = try element.string()
            try check(name, element, in: message, isRemoval: false)
            guard value.utf8.count <= FieldEdit.maximumValueByteCount, let field = HeaderField(name: name, value: value)
            else {
                throw element.refused(
                    "“\(Printable.text(value))” is not a header field's value: use printable ASCII of at most "
                        + "\(FieldEdit.maximumValueByteCount) bytes"
                )
            }
            fields.append(field)
        }
        return fields
    }

    private func names(_ element: JSONElement, in message: EditableField.Message) throws(BundleError) -> [String] {
        try limit(element)
        var names: [String] = []
        for element in try element.array() {
            let name = try element.string()
            try check(name, element, in: message, isRemoval: true)
            guard !names.contains(where: { $0.lowercased() == name.lowercased() }) else {
                throw element.refused("“\(name)” is named twice; keep one")
            }
            names.append(name)
        }
        return names
    }

    private func limit(_ element: JSONElement) throws(BundleError) {
        try ManifestLimits.check(element, atMost: FieldEdit.maximumCount, "fields", advice: "leave some out")
    }

    private func check(
        _ name: String,
        _ element: JSONElement,
        in message: EditableField.Message,
        isRemoval: Bool
    ) throws(BundleError) {
        guard HTTPSyntax.isToken(name), name.utf8.count <= 64 else {
            throw element.refused("“\(Printable.text(name))” is not the name of a header field of at most 64 bytes")
        }
        switch EditableField.permission(for: name, in: message) {
        case .any: return
        case .removal:
            guard !isRemoval else { return }
            throw element.refused("a rule may remove this field, but not set it; remove it here")
        case .nothing: throw element.refused("rules may not change this field; remove it here")
        }
    }
}
