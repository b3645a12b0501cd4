#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

// accept4(2): the header has it only under _GNU_SOURCE, with which other types of the C library would come out different
// from those that Swift knows.
int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags);
