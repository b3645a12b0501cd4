extension ScratchFile {
    /// - Parameters:
    ///   - byteCount: The size in bytes, 0 or more.
    ///   - store: The store on whose disk the file is.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the disk has no room for it, or the
    ///   store can't be written.
    package convenience init(byteCount: Int, in store: BundleStore) throws {
        let layout = store.layout
        self.init(
            try StoreAccess.run(at: store.path) {
                try Self.map(layout.temporary(.random()), byteCount: byteCount)
            }
        )
    }
}
