/// Re-exports the shared vocabulary: a client that imports the store can use versions, paths, digests, manifests and
/// errors.
@_exported import BundleModel
