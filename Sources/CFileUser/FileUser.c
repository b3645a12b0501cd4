#include "CFileUser.h"

#ifdef __linux__
#include <sys/fsuid.h>
#endif

void file_user_set(uid_t user, gid_t group) {
#ifdef __linux__
    setfsgid(group);
    setfsuid(user);
#else
    (void)user;
    (void)group;
#endif
}
