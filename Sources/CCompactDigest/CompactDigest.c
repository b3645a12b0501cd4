#include "include/CompactDigest.h"

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

static void take_blocks(uint32_t state[8], const uint8_t *bytes, size_t count) {
    for (; count > 0; count -= 1, bytes += 64) {
        uint32_t w[64];
        for (int i = 0; i < 16; i += 1) {
            w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 | (uint32_t)bytes[4 * i + 2] << 8
                   | bytes[4 * i + 3];
        }
        for (int i = 16; i < 64; i += 1) {
            uint32_t s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
            uint32_t s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        uint32_t v[8];
        memcpy(v, state, sizeof v);
        for (int i = 0; i < 64; i += 1) {
            uint32_t s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
            uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[i] + w[i];
            uint32_t s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
            uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            memmove(v + 1, v, 7 * sizeof *v);
            v[4] += t1;
            v[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i += 1) state[i] += v[i];
    }
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// Intel, “Intel SHA Extensions”, 2013: two rounds an instruction, the state as ABEF and CDGH.
__attribute__((target("sha,sse4.1,ssse3"))) static void take_blocks_x86(uint32_t state[8], const uint8_t *bytes, size_t count) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xB1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(low, high, 8);
    __m128i cdgh = _mm_blend_epi16(high, low, 0xF0);
    for (; count > 0; count -= 1, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];
        for (int i = 0; i < 4; i += 1) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)), order);
        }
        for (int i = 0; i < 16; i += 1) {
            __m128i words = w[i & 3];
            __m128i sum = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(const void *)(K + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
            if (i >= 12) continue;
            // The words of four rounds later: w[i + 4].
            __m128i next = _mm_sha256msg1_epu32(words, w[(i + 1) & 3]);
            next = _mm_add_epi32(next, _mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4));
            w[i & 3] = _mm_sha256msg2_epu32(next, w[(i + 3) & 3]);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static int has_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}

void compact_digest_blocks(uint32_t state[8], const void *blocks, size_t count) {
    // Threads may determine it at the same time, with the same result.
    static int known;
    int is_known = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (is_known == 0) __atomic_store_n(&known, is_known = has_instructions() ? 1 : 2, __ATOMIC_RELAXED);
    if (is_known == 1) take_blocks_x86(state, blocks, count);
    else take_blocks(state, blocks, count);
}
#else
void compact_digest_blocks(uint32_t state[8], const void *blocks, size_t count) { take_blocks(state, blocks, count); }
#endif
