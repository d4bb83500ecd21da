/* fuzz_node_list.c - any bytes as a published list of nodes, where the header looks like one. */
#include "sim/cluster/node_list.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct error err = { "" };
    size_t n = 0;
    struct input *in = input_from_bytes(bytes, length, "fuzz", &err);
    const char *head = in ? input_peek(in, &n, &err) : NULL;
    if (head && node_list_recognise(head, n)) {
        struct cluster *c = cluster_from_nodes(in, "fuzz", &err);
        fuzz_said(!c, &err);
        FUZZ_MUST(!c || c->n_nodes > 0);
        cluster_free(c);
    } else if (head) {
        fuzz_said(node_list_refuses(head, n, "fuzz", &err), &err);
    }
    input_close(in);
    return 0;
}
