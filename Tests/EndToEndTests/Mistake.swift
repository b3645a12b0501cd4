import Testing

/// A mistyped command line, and its exit status.
struct Mistake: CustomTestStringConvertible {
    let arguments: [String]
    let status: Int32

    static let all = [
        Mistake(arguments: ["install", "/nonexistent/shop.zip"], status: 66),
        Mistake(arguments: ["pack", "/nonexistent", "a.zip"], status: 66),
        Mistake(arguments: ["init", "/nonexistent"], status: 66),
        Mistake(arguments: ["serve", "/nonexistent"], status: 66),
        Mistake(arguments: ["publish", "/nonexistent.zip", "--to", "feeds"], status: 66),
        Mistake(arguments: ["install", "ARCHIVE", "--network-rules", "/nonexistent.json"], status: 66),
        Mistake(arguments: ["instal", "ARCHIVE"], status: 64),
        Mistake(arguments: ["resolve", "http://shop.localhost/100%"], status: 64),
        Mistake(arguments: ["serve", "--mount", "shop=/", "--mount", "docs=/"], status: 64),
        Mistake(arguments: ["serve", "--offline", "--check-every", "1h"], status: 64),
        Mistake(arguments: ["install", "ARCHIVE", "--store", "/etc"], status: 73),
        Mistake(arguments: ["install"], status: 64),
        Mistake(arguments: ["frobnicate"], status: 64),
        Mistake(arguments: ["--version", "1"], status: 64),
        Mistake(arguments: ["list", "--frobnicate"], status: 64),
        Mistake(arguments: ["prune", "--keep=-1"], status: 64),
        Mistake(arguments: ["show", "Not A Name"], status: 64),
        Mistake(arguments: ["activate", "shop"], status: 64),
        Mistake(arguments: ["pin", "shop"], status: 64),
        Mistake(arguments: ["quota", "500"], status: 64),
        Mistake(arguments: ["install", "ARCHIVE", "--keep=-1"], status: 64),
        Mistake(arguments: ["serve", "--listen", "nonsense"], status: 64),
        Mistake(arguments: ["list", "--store", "/dev/null/store"], status: 73),
        Mistake(arguments: ["install", "ARCHIVE", "--store", "/dev/null/store"], status: 73),
    ]

    var testDescription: String { arguments.joined(separator: " ") }
}
