// A library to be preloaded (LD_PRELOAD) into a program under test. It replaces the functions of libc that change a
// file system or make a change durable, counts those calls as steps, and makes one of them fail. Linux only.
//
// It exports no functions of its own; the environment controls it:
//
//     FAULT_ROOT    The folder to watch: an absolute path without symbolic links. What is at it or below counts.
//     FAULT_LOG     A file outside of it, to which each step is appended before it takes effect, as a line of fields
//                   separated by tabs: number, operation, path, and then the new path of a rename or link, or
//                   OFFSET+LENGTH of what is written. Paths are relative to FAULT_ROOT, “.” is FAULT_ROOT itself.
//     FAULT_AT      The number of the step that goes wrong, from 1 on. None does when it is 0 or larger than the last.
//     FAULT_ACTION  What goes wrong; without it steps are only counted, and the program behaves as it does alone.
//
//         kill      SIGKILL before the step takes effect. All earlier changes are visible afterwards.
//         torn      As kill, but a write writes the first half of its bytes.
//         powercut  As kill, and all that wasn't durable is undone: contents that weren't synced since they
//                   were written, and names that were made, changed or removed since their folder was synced.
//         dataloss  As powercut, but every name stays as it is: the file system had written its journal, not the data.
//         EIO       The step fails with this error.
//         ENOSPC, EDQUOT
//                   The step fails with this error, and so does every later one that takes space: the disk stays
//                   full.
//
// A step is a call that changes something: making a folder that exists, or removing a file that doesn't, isn't one.
// Opening counts when it makes or empties a file.
//
// Not intercepted, and so to be checked with strace: stores into mapped memory (the only file of a store that is
// written so is SQLite's “-shm”, which is rebuilt when no process has it open), system calls that don't go through a
// function of libc, and what libc does itself (stdio). sync_file_range and msync promise nothing about a power cut and
// don't count. Undoing leaves permissions, owners and times as they are, and treats a rename as one atomic change,
// durable with the folder of the new name.
