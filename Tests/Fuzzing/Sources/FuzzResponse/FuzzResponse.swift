import FuzzInputs

/// One run of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponse(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = FuzzInput.response.isTaken(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
