import FuzzInputs

/// One run of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHead(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = FuzzInput.head.isTaken(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
