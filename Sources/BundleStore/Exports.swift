/// The words of the store: who imports it can name versions, paths, digests, manifests and errors.
@_exported import BundleModel
