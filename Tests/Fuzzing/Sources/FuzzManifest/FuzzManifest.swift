import BundleStore

/// A manifest that is taken must be taken again, as the same, after it was written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let parsed = try? BundleManifest.parse(bytes) else { return 0 }
    let again = try? BundleManifest.parse(parsed.manifest.encoded())
    precondition(again?.manifest == parsed.manifest, "the manifest is another one after it was written")
    return 0
}
