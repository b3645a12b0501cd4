import FuzzInputs

/// One run of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMetadata(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = FuzzInput.metadata.isTaken(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
