/* bulk.h - large arrays that need not stay in memory.
 *
 * A bulk array of more bytes than its owner wants resident lies in a file that has no name, in
 * TMPDIR or else /var/tmp, and is mapped: it is read and written like memory. What a walk has left
 * behind is given back with bulk_pass(): the pages leave the process, their contents go to the
 * page cache and to the disk, and come back when they are read. So the memory of a process is that
 * of the parts in use, whatever the length. A smaller array is memory from malloc(), as to give its
 * pages back and fetch them again for each walk would cost more than it saves.
 *
 * The elements are written in their order: those that the walk which writes them has left behind
 * (bulk_fill(), bulk_filled()) go to the file in one piece, the others are memory until then. One
 * thread writes elements; any may give back what is in the file.
 *
 * Where no file can be made the array stays in memory, which one line on stderr says. Space is taken
 * from the disk before it is mapped: a disk without room ends the program with one message and
 * status 1, as missing memory does (memory.h). Not for a process that forks: parent and child would
 * write the same pages.
 *
 * Ownership: an array belongs to who made it and is freed with bulk_free(). bulk_resize() and
 * bulk_grow() may move it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Elements of a walk between two calls that give memory back. */
enum { BULK_BLOCK = 32768 };

/* So many elements from now on, in memory if they are at most `resident` bytes (0: any number);
 * what is in a file stays there. NULL: a new array, of which all elements are 0. What is added to
 * one is 0 in a file, undefined in memory. */
void *bulk_resize(void *old, size_t count, size_t size, size_t resident);
/* Elements i to i + n will be written soon, and are not in the file: the memory of these is made at once, which is cheaper than page
 * after page. Changes nothing else. */
void  bulk_ahead(const void *array, size_t i, size_t n, size_t size);
/* All elements have been written once. */
void  bulk_filled(void *array);
/* Those below `to` have, and few of them will be written again. Other threads may read them while they go to the file, and write those
 * from `to` on. By any thread: where another does the same at this moment, nothing is done. */
void  bulk_filled_to(const void *array, size_t to, size_t size);
/* Writes elements i to i + n of an array that has been filled, one more time. In a file no page of them comes to memory. */
void  bulk_put(void *array, size_t i, const void *from, size_t n, size_t size);
void  bulk_free(void *array);                                /* NULL: does nothing */
/* Room for one more element, as mem_grow(). */
void  bulk_enlarge(void *array_pointer, size_t *capacity, size_t size, size_t resident)
    __attribute__((cold));
static inline void bulk_grow(void *array_pointer, size_t *capacity, size_t count, size_t size,
                             size_t resident)
{
    if (count >= *capacity)
        bulk_enlarge(array_pointer, capacity, size, resident);
}
size_t bulk_capacity(size_t capacity);                       /* the next one of a growing array */

/* Of these elements, the pages of those that are in the file leave the process. By any thread. */
void bulk_drop(const void *array, size_t from, size_t to, size_t size);
/* A walk comes to element i: in a block that begins with it there is something to give back. */
static inline bool bulk_turns(size_t i)
{
    return i % BULK_BLOCK == 0 && i > 0;
}
/* What lies behind element i of a walk, where bulk_turns(i). What was used again since it was given
 * back is behind later blocks, too: every second time twice as much is looked through, every fourth
 * time four times, and so on. */
void bulk_pass(const void *array, size_t i, size_t size);
/* The walk that writes the elements first comes to element i, where bulk_turns(i); nobody else reads them meanwhile. */
void bulk_fill(const void *array, size_t i, size_t size);
/* A walk that changes elements that have been written comes to element i, which begins a block; bulk_filled() ends the walk.
 * Without it, each page that is changed costs more where it lies in a file. */
void bulk_edit(const void *array, size_t i, size_t size);
static inline bool bulk_begins(size_t i)
{
    return i % BULK_BLOCK == 0;
}

/* Texts that are never moved, packed, in files of their own. */
struct bulk_texts;
struct bulk_texts *bulk_texts_new(void);
void  bulk_texts_free(struct bulk_texts *t);                 /* NULL: does nothing */
/* a copy, ended with NUL */
char *bulk_text(struct bulk_texts *t, const char *text, size_t length);
void  bulk_texts_filled(const struct bulk_texts *t);         /* no more will come, or few; NULL: does nothing */
void  bulk_texts_drop(const struct bulk_texts *t);           /* all pages of what is in files; NULL: does nothing */
