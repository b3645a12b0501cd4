/// Re-exports HTTP's requests and responses, which the resolver takes and the responder returns.
@_exported import HTTPCore
