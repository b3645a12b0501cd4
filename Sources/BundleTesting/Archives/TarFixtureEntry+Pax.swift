extension TarFixtureEntry {
    /// A pax extended header with these records, in order (POSIX.1-2017, pax, “pax Header Block”): each starts with its
    /// own length.
    ///
    /// - Parameter typeFlag: `x` for the entry that follows, `g` for all that follow.
    package static func pax(_ records: [(key: String, value: String)], _ typeFlag: Character = "x") -> TarFixtureEntry {
        let text = records.map { key, value in
            let rest = " \(key)=\(value)\n"
            let count = rest.utf8.count
            var length = count + 1
            while length != count + String(length).utf8.count { length = count + String(length).utf8.count }
            return "\(length)\(rest)"
        }
        return TarFixtureEntry("pax", Array(text.joined().utf8)).with { $0.typeFlag = typeFlag }
    }
}
