import BundleServing
import BundleStore

extension HeaderField {
    /// The fields that make pages cross-origin isolated (HTML standard, “Cross-origin isolation”), so that they have
    /// `SharedArrayBuffer` and exact clocks: content of other origins is loaded only with its consent.
    public static let crossOriginIsolation = [
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Embedder-Policy", "require-corp"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ].compactMap { HeaderField(name: $0.0, value: $0.1) }
}
