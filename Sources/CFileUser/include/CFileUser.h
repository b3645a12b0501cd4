#ifndef C_FILE_USER_H
#define C_FILE_USER_H

#include <sys/types.h>

/// Has the calling thread act as another user in the file system, and nowhere else (setfsuid(2), setfsgid(2)). Only root can;
/// otherwise, and where the system lacks it, nothing happens.
void file_user_set(uid_t user, gid_t group);

#endif
