/// The paths of misses, as `pack --include-list` reads them.
enum MissList {
    /// A path with a control character, which a line can't hold, is left out.
    static func lines(_ paths: [String]) -> [String] {
        let printable = paths.filter { $0.unicodeScalars.allSatisfy(isPrintable) }
        // Otherwise it would be a comment.
        return printable.map { $0.hasPrefix("#") ? "./\($0)" : $0 }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
