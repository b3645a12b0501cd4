import ArgumentParser
import BundleServer
import BundleStore

/// The fields that the endpoint adds to each response.
struct ResponseFieldOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "Add a field to each response that lacks it; may be repeated. A manifest's own fields win.",
            valueName: "name: value"
        ),
        transform: ResponseFieldOptions.field
    )
    var headers: [HeaderField] = []

    @Option(
        name: .customLong("cors"),
        help: ArgumentHelp(
            "Allow scripts of this origin to read the responses, * for any; may be repeated.",
            valueName: "origin"
        )
    )
    var origins: [AllowedOrigin] = []

    @Flag(help: "Isolate pages from other origins, for SharedArrayBuffer: COOP, COEP and CORP.")
    var crossOriginIsolated = false

    /// The fields to add; an explicit one takes precedence over the isolation's.
    var fields: [HeaderField] { (crossOriginIsolated ? HeaderField.crossOriginIsolation : []) + headers }

    /// Reads `Name: value`, and explains what is wrong when it is invalid.
    static func field(_ argument: String) throws -> HeaderField {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
        guard parts.count == 2, let field = HeaderField(name: String(parts[0]), value: String(value)) else {
            throw ValidationError(
                HeaderField.isReserved(String(parts[0]))
                    ? "the server sets \(parts[0]) itself; leave it out"
                    : "a field is a name, a colon and a value in printable ASCII: 'Referrer-Policy: no-referrer'"
            )
        }
        return field
    }
}
