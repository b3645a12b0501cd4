/// The cause of the error for a feed that is a file when it, or its medium, isn't there: as being without a network, that is no
/// news to a clock.
package struct AbsentPlace: Error {}
