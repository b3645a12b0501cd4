import ArgumentParser
import BundleServer
import BundleStore

/// What the endpoint says in each response.
struct ResponseFieldOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "Add a field to each answer that doesn't have it; may be repeated. A manifest's own fields win.",
            valueName: "name: value"
        ),
        transform: ResponseFieldOptions.field
    )
    var headers: [HeaderField] = []

    @Option(
        name: .customLong("cors"),
        help: ArgumentHelp(
            "Let scripts of this origin read the answers, * for any; may be repeated.",
            valueName: "origin"
        )
    )
    var origins: [AllowedOrigin] = []

    @Flag(help: "Isolate pages from other origins, for SharedArrayBuffer: COOP, COEP and CORP.")
    var crossOriginIsolated = false

    /// The fields to add; one that is named counts before the isolation's.
    var fields: [HeaderField] { (crossOriginIsolated ? HeaderField.crossOriginIsolation : []) + headers }

    /// Reads `Name: value`, and says of what is none why.
    static func field(_ argument: String) throws -> HeaderField {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
        guard parts.count == 2, let field = HeaderField(name: String(parts[0]), value: String(value)) else {
            throw ValidationError(
                HeaderField.isReserved(String(parts[0]))
                    ? "the server answers for \(parts[0]) itself; leave it out"
                    : "a field is a name, a colon and a value in printable ASCII: 'Referrer-Policy: no-referrer'"
            )
        }
        return field
    }
}
