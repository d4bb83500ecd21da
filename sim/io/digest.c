/* digest.c - see digest.h. */
#include "sim/io/provenance.h"

#include <openssl/sha.h>

void digest_sha256(const void *bytes, size_t length, char hex[65])
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(bytes, length, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[64] = '\0';
}
