/* digest.h - SHA-256 of bytes in memory; that of a file: input_sha256(). */
#pragma once
#include <stddef.h>

void digest_sha256(const void *bytes, size_t length, char hex[65]);
