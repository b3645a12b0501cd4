#ifndef C_COMPACT_DIGEST_H
#define C_COMPACT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/// Takes 64-byte blocks into the state of a SHA-256 (FIPS 180-4 §6.2.2), with the processor's instructions where it has them.
void compact_digest_blocks(uint32_t state[8], const void *blocks, size_t count);

#endif
