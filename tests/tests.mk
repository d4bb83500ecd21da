# The tests. tests/KIND/NAME.c becomes one program, linked with the whole simulator but main(); tests/e2e/* and
# scripts/* are run with the program itself. Each leaves a log; `check` sums them up, and only what changed runs again.

SAN_ENV := ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
TEST_SRC := $(sort $(shell find tests -name 'test_*.c' -not -path 'tests/bench/*'))
TEST_BIN := $(patsubst %.c,$(OUT)/%,$(TEST_SRC))
TEST_LOG := $(TEST_BIN:%=%.log)
FUZZ_BIN := $(patsubst %.c,$(OUT)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_LOG := $(FUZZ_BIN:%=%.log)
E2E      := $(wildcard tests/e2e/*.sh)
E2E_LOG  := $(patsubst %.sh,$(OUT)/%.log,$(E2E)) $(OUT)/tests/reproductions/reproduce.log $(OUT)/tests/worlds/worlds.log
JOBS     := $(shell nproc)

$(OUT)/tests/%: $(OUT)/tests/%.o $(LIB)
	$(CC) $(LINK) $(CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive -lcmocka $(DEP_LIBS)

# $(call logged,COMMAND): a log that exists only if the command succeeded; else it is NAME.log.failed. Says in a line how
# the suite ended. Suites that send signals want them heard: a shell that starts `make` in the background ignores SIGINT, and so
# would all that it starts.
HEARD  := $(shell env --default-signal=INT,QUIT,HUP true 2>/dev/null && echo env --default-signal=INT,QUIT,HUP)
logged = @rm -f $@ $@.failed; $(HEARD) env $(SAN_ENV) $(1) >$@.tmp 2>&1; s=$$?; echo "exit $$s" >>$@.tmp; \
         if [ $$s = 0 ]; then mv $@.tmp $@; else mv $@.tmp $@.failed; fi; scripts/sum-tests --line $@

$(TEST_LOG): %.log: % $(BIN) $(wildcard tests/golden/* traces/samples/*)
	$(call logged,$<)
$(OUT)/tests/e2e/%.log: tests/e2e/%.sh $(BIN) $(wildcard tests/e2e/*.py tests/e2e/*.js tests/e2e/*.txt scripts/* scripts/plot/* traces/samples/* tests/golden/* tests/golden/*/* tests/golden/*/*/* tests/support/* tests/mutations/*)
	@mkdir -p $(@D)
	$(call logged,MODE=$(MODE) $< $(abspath $(BIN)))
$(patsubst %,$(OUT)/tests/e2e/%.log,citations import kubernetes readme reference): $(wildcard *.md */*.md */*/*.md tests/examples/*) CITATION.cff VERSION
$(OUT)/tests/reproductions/reproduce.log: scripts/reproduce $(BIN) $(wildcard tests/reproductions/*)
	@mkdir -p $(@D)
	$(call logged,scripts/reproduce $(abspath $(BIN)))

# Random worlds: `make worlds SEEDS=A:B`.
SEEDS ?= 1:301
$(OUT)/tests/worlds/worlds.log: tests/worlds/run $(wildcard tests/worlds/*.py) $(BIN) $(wildcard tests/worlds/kept/*/*) $(wildcard scripts/check_*)
	@mkdir -p $(@D)
	$(call logged,$< $(abspath $(BIN)))
worlds: all
	@tests/worlds/run $(abspath $(BIN)) --seeds $(SEEDS)

# Facts about what real schedulers decide: `make conformance CASES=DIR[:DIR...]`.
CASES ?= $(or $(GPUYARD_SHARED),../shared)/conformance:$(or $(GPUYARD_SHARED),../shared)/conformance-kueue
CONF_BIN := $(OUT)/tests/conformance/conformance
CONF_LOG := $(CONF_BIN).log
$(CONF_BIN): $(patsubst %.c,$(OUT)/%.o,$(wildcard tests/conformance/*.c)) $(LIB)
	$(CC) $(LINK) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(DEP_LIBS)
$(CONF_LOG): $(CONF_BIN) $(foreach dir,$(subst :, ,$(CASES)),$(wildcard $(dir)/*.json $(dir)/*/*.json))
	$(call logged,$< $(CASES))
conformance: $(CONF_BIN)
	@$< $(CASES)
# The same for random situations, decided by a second implementation.
SIT_LOG := $(OUT)/tests/conformance/situations.log
$(SIT_LOG): tests/conformance/situations.sh tests/conformance/situations.py $(CONF_BIN)
	$(call logged,$< $(CONF_BIN))

SECOND_LOG := $(OUT)/tests/conformance/second.log
$(SECOND_LOG): $(CONF_BIN) $(wildcard tests/conformance/second*)
	$(call logged,tests/conformance/second.sh $<)

KUEUE_LOG := $(OUT)/tests/conformance/kueue_second.log
$(KUEUE_LOG): $(CONF_BIN) $(wildcard tests/conformance/kueue_second*)
	$(call logged,tests/conformance/kueue_second.sh $<)

# Pod sets of traces through whole runs, against the same second implementation.
TAS_LOG := $(OUT)/tests/conformance/tas_runs.log
$(TAS_LOG): tests/conformance/tas_runs.sh tests/conformance/tas_runs.py tests/conformance/second_tas.py $(BIN)
	$(call logged,$< $(abspath $(BIN)))

# What a real Slurm does, recorded anew: root, and Debian's slurmctld, slurmd, slurm-client and munge.
slurm-facts:
	@for folder in tests/conformance/slurm/*/; do python3 tests/conformance/slurm/record.py $$folder & done; wait

test-logs: $(TEST_LOG) $(CONF_LOG) $(SIT_LOG) $(SECOND_LOG) $(KUEUE_LOG) $(TAS_LOG) $(FUZZ_LOG) $(E2E_LOG)

# A quick look: the unit tests and schedules but for three that run for several seconds.
SLOW_LOG  := $(patsubst %,$(OUT)/tests/%.log,schedules/test_optimal schedules/test_backfill unit/scheduler/test_transaction)
QUICK_LOG := $(filter-out $(SLOW_LOG),$(filter $(OUT)/tests/unit/% $(OUT)/tests/schedules/%,$(TEST_LOG)))
quick-logs: $(QUICK_LOG)
check-quick: all
	@$(MAKE) --no-print-directory -k -j$(JOBS) quick-logs
	@scripts/sum-tests $(QUICK_LOG) | tail -n 1
	@for log in $(QUICK_LOG); do [ -f $$log ] || exit 1; done

# Without what the tests need, and without rights to install it, those that cannot be built fail and the others say that they
# are skipped.
tools:
	@missing=$$(scripts/install-deps.sh --missing check 2>/dev/null); [ -z "$$missing" ] || \
	 { echo "check: missing: $$missing: calls make deps-check"; $(MAKE) --no-print-directory deps-check; } || \
	 echo "check: goes on without them"

check: tools
	@$(MAKE) --no-print-directory all layers
	@$(MAKE) --no-print-directory -k -j$(JOBS) test-logs || echo "check: not all suites ran well; the sum:"
	@scripts/sum-tests $(TEST_LOG) $(CONF_LOG) $(SIT_LOG) $(SECOND_LOG) $(KUEUE_LOG) $(TAS_LOG) $(FUZZ_LOG) $(E2E_LOG)

asan:     ; @$(MAKE) --no-print-directory MODE=asan check
coverage: ; @$(MAKE) --no-print-directory MODE=coverage check && gcovr --root . --exclude tests build/coverage

# Faults planted in the arithmetic of results and the order of equals, each of which its test has to catch by name. A minute
# each: not part of `check`, which sees only that their texts are still in the source.
mutations:
	@tests/mutations/run

reproduce: all
	@scripts/reproduce ./gpuyard

# The fuzz targets: `check` gives each its corpus, `fuzz` needs clang's libFuzzer. See tests/fuzz/fuzz.h and scripts/fuzz.
FUZZ_MAIN := $(if $(filter fuzz,$(MODE)),-fsanitize=fuzzer,$(OUT)/tests/fuzz/replay.o)
$(FUZZ_BIN): %: %.o $(LIB) $(filter %.o,$(FUZZ_MAIN))
	$(CC) $(LINK) $(CFLAGS) $(LDFLAGS) -o $@ $< $(FUZZ_MAIN) -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(DEP_LIBS)
$(FUZZ_LOG): $(OUT)/tests/fuzz/fuzz_%.log: $(OUT)/tests/fuzz/fuzz_% $(wildcard tests/fuzz/corpus/*/*)
	$(call logged,GPUYARD_FORMAT=all $< tests/fuzz/corpus/$*)
fuzz-run: $(FUZZ_BIN) $(BIN)
	@scripts/fuzz $(OUT)/tests/fuzz $(BIN) $(FUZZ_TARGETS)
fuzz:
	@if echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null; \
	 then $(MAKE) --no-print-directory MODE=fuzz CC=clang fuzz-run; \
	 else echo "skipped: fuzz: no clang with libFuzzer here (Debian: clang, libclang-rt-dev)"; \
	      echo "0 passed, 0 failed, 1 skipped"; fi

# core <- contract <- world <- run <- study <- cli; policies see the contract, traces see core and the workload.
layers: $(LIB)
	@scripts/check-layers $(OUT)

demo: all
	@scripts/demo ./gpuyard

# What it costs: seconds as ratios, then instructions. The programs that measure the simulator are linked as it is. `bench-short` has
# few jobs and judges no seconds: it shows in a minute that every line can be measured, as tests/e2e/bench.sh does; its programs are
# linked as tests are.
BENCH_SRC := $(wildcard tests/bench/*.c)
BENCH_BIN := $(BENCH_SRC:%.c=$(OUT)/%)
SHORT_BIN := $(BENCH_SRC:tests/bench/%.c=$(OUT)/tests/short/%)
$(filter-out %/measure %/make_trace,$(BENCH_BIN)): AS_IS = $(or $(LTO),-fno-lto)
$(SHORT_BIN): $(OUT)/tests/short/%: $(OUT)/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(LINK) $(CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(DEP_LIBS)
bench: all $(BENCH_BIN)
	@scripts/bench ./gpuyard $(OUT)/tests/bench; s=$$?; scripts/bench-policies ./gpuyard $(OUT)/tests/bench && exit $$s
bench-short: all $(SHORT_BIN)
	@scripts/bench --short ./gpuyard $(OUT)/tests/short; s=$$?; scripts/bench-policies --short ./gpuyard $(OUT)/tests/short && exit $$s
$(OUT)/tests/e2e/bench.log: $(SHORT_BIN) $(wildcard scripts/bench.d/*) results/baseline/instructions.csv
$(OUT)/tests/e2e/instructions.log: $(OUT)/tests/short/make_trace $(wildcard results/baseline/*)

.PHONY: check check-quick quick-logs tools worlds mutations conformance slurm-facts test-logs asan coverage reproduce layers demo bench bench-short fuzz fuzz-run
.SECONDARY: $(BENCH_BIN:%=%.o) $(TEST_BIN) $(TEST_BIN:%=%.o) $(FUZZ_BIN:%=%.o)
