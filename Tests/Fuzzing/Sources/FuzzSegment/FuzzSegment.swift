import FuzzInputs

/// One run of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSegment(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = FuzzInput.segment.isTaken(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}
