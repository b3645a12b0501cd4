/// The options of `serve`, what they are set to, and by whom, as `--print-config` prints them.
enum ConfigurationTable {
    /// The lines.
    ///
    /// - Parameter storePath: The store when nothing sets it.
    static func lines(_ settings: [Setting], storePath: String) -> [String] {
        var table = Table([("KEY", .left), ("VALUE", .left), ("SOURCE", .left)])
        for setting in settings {
            let isDefaultStore = setting.option.name == "store" && setting.source == .standard
            table.add([
                setting.option.key, isDefaultStore ? storePath : setting.text, setting.source.description,
            ])
        }
        return table.lines
    }
}
