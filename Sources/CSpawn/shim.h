// The header has this only under _GNU_SOURCE, with which other types of the C library would come out different from those
// that Swift knows.

/// posix_spawn_file_actions_addclosefrom_np(3); the actions are a posix_spawn_file_actions_t, which <spawn.h> would make a
/// type of this module's.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
