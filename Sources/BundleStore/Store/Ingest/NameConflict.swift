/// Two names of a release that conflict.
struct NameConflict {
    enum Kind {
        case file
        case folder
        case link
    }

    let first: (path: String, kind: Kind)
    let second: (path: String, kind: Kind)

    /// One sentence that names both, and what to do.
    var message: String {
        let (left, right) = (Printable.text(first.path), Printable.text(second.path))
        guard first.path.utf8.elementsEqual(second.path.utf8) else {
            return
                "“\(left)” and “\(right)” differ only in upper and lower case, and are one name on Windows and macOS; "
                + "rename one of them"
        }
        switch (first.kind, second.kind) {
        case (.folder, .link), (.link, .folder):
            return "“\(left)” is a link, and other entries lie below it; pack the folder itself in place of the link"
        case (.folder, _), (_, .folder):
            return "“\(left)” is a file and a folder; rename one of them"
        default:
            return "“\(left)” comes twice; pack it once"
        }
    }
}
