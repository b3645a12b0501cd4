import FuzzInputs

/// One run of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPatch(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = FuzzInput.patch.isTaken(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
