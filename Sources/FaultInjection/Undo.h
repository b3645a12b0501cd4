#ifndef UNDO_H
#define UNDO_H

#include "Place.h"

#include <stdbool.h>
#include <sys/types.h>

// What a power cut would undo: everything since the sync that would have made it durable. Only called between
// `step_begin` and `step_end`, which admit one thread at a time. Without `undo_enable` nothing is kept.

/// Begins to keep changes. Files that are removed get a second name in a folder beside `root`.
void undo_enable(const char *root);

/// Keeps the bytes and the size of a file before a range of it changes.
void undo_keep_contents(int descriptor, off_t offset, off_t byte_count);

/// Keeps what exists at a place before it is removed or replaced, if anything. Followed by `undo_note_removal` or
/// `undo_note_rename` if that succeeds.
void undo_keep_aside(const Place *place);

/// Records that a file or a link, or a folder, has got a name.
void undo_note_creation(const Place *place, bool is_folder);

/// Records that the name of a file or a link, or of a folder, was removed.
void undo_note_removal(const Place *place, bool is_folder);

/// Records a rename.
void undo_note_rename(const Place *from, const Place *to);

/// Drops what syncing this file or folder has made durable.
void undo_forget(int descriptor, const Place *place);

/// Drops everything: it is all durable.
void undo_forget_all(void);

/// Undoes everything that is kept, the latest first.
void undo_all(bool including_names);

#endif
