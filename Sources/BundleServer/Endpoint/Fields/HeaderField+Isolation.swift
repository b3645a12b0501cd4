import BundleStore

extension HeaderField {
    /// What makes pages cross-origin isolated (HTML standard, “Cross-origin isolation”), so that they have
    /// `SharedArrayBuffer` and exact clocks: nothing of another origin comes in that doesn't say that it may.
    public static let crossOriginIsolation = [
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Embedder-Policy", "require-corp"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ].compactMap { HeaderField(name: $0.0, value: $0.1) }
}
