/// Re-exports what the calls take and return, so that an app imports one module.
@_exported import BundleEmbedding
@_exported import HTTPTypes
