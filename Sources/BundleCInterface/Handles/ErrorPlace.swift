import CBundle

/// Where C wants an error; nil when it doesn't.
typealias ErrorPlace = UnsafeMutablePointer<OpaquePointer?>

/// Runs the body of a function that returns a status.
func reporting(_ place: ErrorPlace?, _ body: () throws -> Void) -> ob_status {
    do {
        try body()
        place?.pointee = nil
        return ob_status(OB_OK)
    } catch {
        let failure = Failure(error)
        place?.pointee = Handle.make(failure)
        return failure.status
    }
}

/// Runs the body of a function that returns nil on failure.
func reporting<Result>(_ place: ErrorPlace?, _ body: () throws -> Result) -> Result? {
    do {
        let result = try body()
        place?.pointee = nil
        return result
    } catch {
        place?.pointee = Handle.make(Failure(error))
        return nil
    }
}
