#!/bin/sh
# mutations.sh GPUYARD - the text of every planted fault (tests/mutations) is still in the source, in one place.
exec tests/mutations/run --texts
