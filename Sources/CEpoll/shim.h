#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>

// The headers have these only under _GNU_SOURCE, with which other types of the C library would come out different from those
// that Swift knows.

/// accept4(2); the address is a sockaddr, which <sys/socket.h> would make a type of this module's.
int accept4(int socket, void *address, unsigned int *size, int flags);
/// sched_getaffinity(2); the set is a bit for each processor.
int sched_getaffinity(pid_t process, size_t size, void *set);
