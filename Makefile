# gpuyard: a discrete-event GPU cluster scheduling simulator.
#
#   make deps        install what building needs (Debian packages)      make check        every test
#   make deps-check  install what the tests need besides                make check-quick  unit tests and fast schedules
#   make             build ./gpuyard                                    make demo         one workload, several policies, plots
#
# MODE=release|debug|asan|coverage|fuzz keep their objects apart under build/MODE. CC, CFLAGS, LDFLAGS are yours.

CC     ?= cc
MODE   ?= release
PREFIX ?= /usr/local
OUT    := build/$(MODE)

VERSION := $(shell cat VERSION 2>/dev/null || echo 0)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

# With gcc the program is optimised as a whole when it is linked, which makes it a tenth faster; the tests take the same objects as
# they are. `make LTO=` does without. The growth by inlining that gcc allows the whole (40 %) ends before the inner loops of `quota`.
# Fields that were just written one by one are not read as a vector (SLP): that load waits until they are in the cache. A job runs
# through hundreds of small functions: where these are, as much is inlined as under -O3.
# Functions lie in the order in which they were first called in the rehearsal (below), so that those of a job lie side by side: cut into
# parts, as gcc does to link on several processors, the program misses the cache of instructions nearly twice as often.
# Structs of hundreds of bytes are cleared and copied by vector moves: on its own gcc takes `rep stos`, whose start alone costs more.
GCC    := $(and $(filter release rehearsal,$(MODE)),$(filter cc gcc gcc-%,$(notdir $(CC))))
MOVES  := vector_loop:512:noalign,libcall:-1:noalign
X86    := $(if $(GCC),$(filter x86_64-%,$(shell $(CC) -dumpmachine)))
LTO    ?= $(if $(GCC),-flto=auto -flto-partition=one -ffat-lto-objects --param=inline-unit-growth=100 -fno-tree-slp-vectorize $(if $(X86),-mmemset-strategy=$(MOVES) -mmemcpy-strategy=$(MOVES)))

# Before it, a program that counts is built and rehearses (scripts/rehearse). From its counts gcc knows which way branches go and which
# calls are worth inlining: a tenth of the time and more. They are kept until `make clean` or other flags, and a function that has
# changed since is built without them. `make COUNTS=` does without all of them, and so does `make LTO=`.
COUNTS  ?= $(if $(LTO),$(and $(GCC),$(filter release,$(MODE)),build/rehearsal/counts))
COUNT_rehearsal := -O2 -D_FORTIFY_SOURCE=2 -fprofile-generate -fprofile-update=prefer-atomic
COUNT_release   := $(if $(COUNTS),-fprofile-use -fprofile-partial-training -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch)
COUNT   = $(if $(COUNT_$(MODE)),$(COUNT_$(MODE)) -dumpdir build/rehearsal/$(<D)/ -dumpbase $(<F) -dumpbase-ext .c)

INLINE := $(if $(GCC),$(addprefix --param=,max-inline-insns-auto=30 inline-min-speedup=15 max-inline-insns-single=200))
HOT    := policies traces/native $(addprefix sim/,accounting base capacity engine io results scheduler workload)

MODE_release  := -O2 -g -D_FORTIFY_SOURCE=2
MODE_debug    := -O0 -g
MODE_rehearsal := -O0
MODE_asan     := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_coverage := -O0 -g --coverage
MODE_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

PACKAGES := gsl libfyaml jansson zlib libzstd libcrypto
DEP_CFLAGS = $(eval DEP_CFLAGS := $$(shell pkg-config --cflags $(PACKAGES)))$(DEP_CFLAGS)
DEP_LIBS   = $(eval DEP_LIBS := $$(shell pkg-config --libs $(PACKAGES)) -lcsv -ldl -lm -pthread)$(DEP_LIBS)

FLAGS = -std=c17 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -I. -MMD -MP -fPIE -ffp-contract=off -fno-math-errno \
        -fstack-protector-strong \
        -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        $(MODE_$(MODE)) $(DEP_CFLAGS)
AS_IS = -fno-lto
LINK  = $(MODE_$(MODE)) $(filter -fprofile-generate,$(COUNT_$(MODE))) $(AS_IS) -pie -Wl,-z,relro,-z,now -Wl,--dynamic-list=sim/contract/exported.list

SRC       := $(sort $(shell find sim policies traces -name '*.c'))
LIB_OBJ   := $(patsubst %.c,$(OUT)/%.o,$(filter-out sim/cli/main.c,$(SRC)))
LIB       := $(OUT)/libgpuyard.a
BIN       := $(OUT)/gpuyard

all: gpuyard
gpuyard: $(BIN)
	@ln -sf $(BIN) $@
$(BIN): AS_IS = $(or $(LTO),-fno-lto)
$(BIN): $(OUT)/sim/cli/main.o $(LIB) sim/contract/exported.list
	$(CC) $(LINK) $(CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(DEP_LIBS)
$(LIB): $(LIB_OBJ)
	@rm -f $@ && $(AR) rcs $@ $^
# Changes only when the compiler or its flags do, and all objects with it: no program of objects that were built in two ways.
BUILT_WITH = $(CC) $(LTO) $(COUNT_$(MODE)) $(CFLAGS) $(LDFLAGS)
$(OUT)/built-with: FORCE
	@mkdir -p $(@D) && echo '$(BUILT_WITH)' | cmp -s - $@ || echo '$(BUILT_WITH)' > $@
FORCE:
$(OUT)/%.o: %.c Makefile $(OUT)/built-with $(COUNTS)
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(LTO) $(CFLAGS) -c -o $@ $<
$(COUNTS): $(OUT)/built-with
	@echo "make: builds a program that counts, and rehearses; 'make COUNTS=' does without"
	@$(MAKE) --no-print-directory MODE=rehearsal OUT=build/rehearsal LTO= COUNTS= build/rehearsal/gpuyard
	@find build/rehearsal -name '*.gcda' -delete
	@scripts/rehearse build/rehearsal/gpuyard build/rehearsal/runs || echo "make: the rehearsal broke off: what it did not count is built without"
	@touch $@

$(foreach folder,$(HOT),$(OUT)/$(folder)/%.o): FLAGS += $(INLINE) $(COUNT)
$(OUT)/sim/cli/report/assets.o: sim/cli/report/page.css sim/cli/report/page.js
$(OUT)/sim/results/version.o: FLAGS += -DGPUYARD_VERSION='"$(VERSION)"' -DGPUYARD_COMMIT='"$(COMMIT)"'
$(OUT)/sim/results/version.o: VERSION $(wildcard .git/HEAD .git/logs/HEAD)

deps:
	@scripts/install-deps.sh build
deps-check:
	@scripts/install-deps.sh build check

# The program, its man page and completion, the contract headers and a pkg-config file, so that a policy can be built
# outside the tree: cc -shared -fPIC $(pkg-config --cflags gpuyard) mine.c -o mine.so
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include/gpuyard/util $(DESTDIR)$(PREFIX)/share/gpuyard/scripts/plot \
	           $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	           $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/gpuyard
	install -m 644 sim/contract/*.h $(DESTDIR)$(PREFIX)/include/gpuyard
	install -m 644 sim/contract/util/*.h $(DESTDIR)$(PREFIX)/include/gpuyard/util
	install -m 755 scripts/check_schedule scripts/check_quotas $(DESTDIR)$(PREFIX)/share/gpuyard/scripts
	install -m 644 $(wildcard scripts/plot/*.gp) $(DESTDIR)$(PREFIX)/share/gpuyard/scripts/plot
	$(BIN) help --man >$(DESTDIR)$(PREFIX)/share/man/man1/gpuyard.1
	$(BIN) help --completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/gpuyard
	printf 'Name: gpuyard\nDescription: contract headers of the gpuyard simulator\nVersion: %s\nCflags: -I%s/include/gpuyard\n' \
	       '$(VERSION)' '$(PREFIX)' >$(DESTDIR)$(PREFIX)/lib/pkgconfig/gpuyard.pc

clean:
	rm -rf build gpuyard

include tests/tests.mk
-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
.PHONY: all deps deps-check install clean
.DELETE_ON_ERROR:
