/// Re-exports the server core: a client that imports the endpoint can name addresses, limits and certificates.
@_exported import ServerCore
