/* The limit looked for: the cube visited by C as one would write it for this machine, cc -O3 -march=native. */
#include <stdint.h>
#include <stdlib.h>

#define W 64

/* Sum of e and of e*e over row + offsets, columns kept in registers; |e| <= 31. */
void lanes(const int16_t *row, long n, const int16_t *a, long rows, int64_t *sums) {
  int64_t s1 = 0, s2 = 0;
  for (long w = 0; w < n; w += W)
    for (long r0 = 0; r0 < rows; r0 += 64) {
      int16_t c1[W] = {0};
      uint16_t c2[W] = {0};
      long r1 = r0 + 64 < rows ? r0 + 64 : rows;
      for (long r = r0; r < r1; r++)
        for (int i = 0; i < W; i++) {
          int16_t e = row[w + i] + a[r];
          c1[i] += e;
          c2[i] += (uint16_t)(e * e);
        }
      for (int i = 0; i < W; i++) s1 += c1[i], s2 += c2[i];
    }
  sums[0] = s1, sums[1] = s2;
}

/* The same in bytes from 0 to 127, products of bytes added four at a time; n a multiple of 512, rows even. */
#ifdef __AVX512VNNI__
#include <immintrin.h>
void products(const uint8_t *row, long n, const uint8_t *a, long rows, int64_t *sums) {
  const __m512i ones = _mm512_set1_epi8(1);
  sums[0] = sums[1] = 0;
  for (long w = 0; w < n; w += 512)
    for (long r0 = 0; r0 < rows; r0 += 1 << 15) {
      __m512i low[8], s1[8], s2[8];
      for (int i = 0; i < 8; i++) low[i] = _mm512_loadu_si512(row + w + 64 * i), s1[i] = s2[i] = _mm512_setzero_si512();
      for (long r = r0; r < r0 + (1 << 15) && r < rows; r += 2) {
        __m512i a1 = _mm512_set1_epi8(a[r]), a2 = _mm512_set1_epi8(a[r + 1]);
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
          __m512i f1 = _mm512_add_epi8(low[i], a1), f2 = _mm512_add_epi8(low[i], a2);
          s2[i] = _mm512_dpbusd_epi32(_mm512_dpbusd_epi32(s2[i], f1, f1), f2, f2);
          s1[i] = _mm512_dpbusd_epi32(s1[i], _mm512_add_epi8(f1, f2), ones);
        }
      }
      for (int i = 0; i < 8; i++) {
        uint32_t t1[16], t2[16];
        _mm512_storeu_si512(t1, s1[i]), _mm512_storeu_si512(t2, s2[i]);
        for (int j = 0; j < 16; j++) sums[0] += t1[j], sums[1] += t2[j];
      }
    }
}
#endif

/* The same bit by bit: the count c of minus signs (below 32) as five planes, 256 vectors a word; the ones of every
   product of two planes are added by carry-save adders.  planes[5*w + j]; words a multiple of 8. */
typedef uint64_t V __attribute__((vector_size(32)));
#define CSA(h, l, a, b, c) do { V x_ = (a), y_ = (b), z_ = (c), u_ = x_ ^ y_; h = (x_ & y_) | (u_ & z_); l = u_ ^ z_; } while (0)
static inline int64_t ones(V v) {
  return __builtin_popcountll(v[0]) + __builtin_popcountll(v[1]) + __builtin_popcountll(v[2]) + __builtin_popcountll(v[3]);
}
void sliced(const uint64_t *table, long words, const int16_t *a, long rows, int64_t *sums) {
  const V *P = __builtin_assume_aligned(table, 32);
  int64_t p[15] = {0};
  for (long r = 0; r < rows; r++) {
    V A[5], one[15] = {{0}}, two[15] = {{0}}, four[15] = {{0}};
    for (int j = 0; j < 5; j++) { uint64_t m = -(uint64_t)(a[r] >> j & 1); A[j] = (V){m, m, m, m}; }
    for (long w = 0; w < words; w += 8) {
      V c[8][5];
      for (int k = 0; k < 8; k++) {
        V carry = {0};
        for (int j = 0; j < 5; j++) CSA(carry, c[k][j], P[(w + k) * 5 + j], A[j], carry);
      }
      int t = 0;
      for (int i = 0; i < 5; i++)
        for (int j = i; j < 5; j++, t++) {
          V h1, h2, h3, h4, g1, g2, e8;
#define X(k) (c[k][i] & c[k][j])
          CSA(h1, one[t], one[t], X(0), X(1)); CSA(h2, one[t], one[t], X(2), X(3)); CSA(g1, two[t], two[t], h1, h2);
          CSA(h3, one[t], one[t], X(4), X(5)); CSA(h4, one[t], one[t], X(6), X(7)); CSA(g2, two[t], two[t], h3, h4);
          CSA(e8, four[t], four[t], g1, g2);
          p[t] += 8 * ones(e8);
        }
    }
    for (int t = 0; t < 15; t++) p[t] += ones(one[t]) + 2 * ones(two[t]) + 4 * ones(four[t]);
  }
  int t = 0;
  sums[0] = sums[1] = 0;
  for (int i = 0; i < 5; i++)
    for (int j = i; j < 5; j++, t++) {
      if (i == j) sums[0] += p[t] << i;
      sums[1] += p[t] << (i + j + (i != j));
    }
}

/* How many c = row + offset take each value; both sorted; rows a multiple of 4, bytes flushed every 248. */
void counted(const uint8_t *row, long n, const uint8_t *a, long rows, int64_t *counts) {
  uint8_t seen[256];
  for (long w = 0; w < n; w += 256) {
    const uint8_t *part = row + w;
    long columns = w + 256 < n ? 256 : n - w;
    for (long r0 = 0; r0 < rows; r0 += 248) {
      long r1 = r0 + 248 < rows ? r0 + 248 : rows;
      for (int v = part[0] + a[r0]; v <= part[columns - 1] + a[r1 - 1]; v++) {
        for (long i = 0; i < columns; i++) seen[i] = 0;
        for (long r = r0; r + 3 < r1; r += 4) {
          if (v < part[0] + a[r] || v > part[columns - 1] + a[r + 3]) continue;
          uint8_t w0 = v - a[r], w1 = v - a[r + 1], w2 = v - a[r + 2], w3 = v - a[r + 3];
          for (long i = 0; i < columns; i++)
            seen[i] += (part[i] == w0) + (part[i] == w1) + (part[i] == w2) + (part[i] == w3);
        }
        for (long i = 0; i < columns; i++) counts[v] += seen[i];
      }
    }
  }
}

/* All pairs r < s <= 62, each of the 2^d vectors (d >= 6) with the partner that flips s; 1 where all are opposite. */
static const uint64_t M[6] = {0xAAAAAAAAAAAAAAAAu, 0xCCCCCCCCCCCCCCCCu, 0xF0F0F0F0F0F0F0F0u,
                              0xFF00FF00FF00FF00u, 0xFFFF0000FFFF0000u, 0xFFFFFFFF00000000u};
#define COLUMN(r, w) ((r) < 6 ? M[r] : -(uint64_t)((w) >> ((r)-6) & 1))
int pairing(int d) {
  long words = 1L << (d - 6);
  uint64_t all = ~0ull;
  for (int r = 0; r < d; r++)
    for (int s = r + 1; s < d; s++) {
      if (s < 6) {
        for (long w = 0; w < words; w++) {
          uint64_t x = COLUMN(r, w) ^ COLUMN(s, w);
          all &= (x ^ x >> (1 << s)) | M[s];
        }
      } else {
        long step = 1L << (s - 6);
        for (long b = 0; b < words; b += 2 * step)
          for (long w = b; w < b + step; w++)
            all &= (COLUMN(r, w) ^ COLUMN(s, w)) ^ (COLUMN(r, w + step) ^ COLUMN(s, w + step));
      }
    }
  return all == ~0ull;
}
