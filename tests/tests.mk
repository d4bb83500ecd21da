# The tests: tests/KIND/NAME.c each become one program, linked with the whole simulator but main().
TEST_SRC := $(filter-out tests/bench/%,$(wildcard tests/*/test_*.c))
TEST_BIN := $(patsubst %.c,$(OUT)/%,$(TEST_SRC))

$(OUT)/tests/%: $(OUT)/tests/%.o $(LIB)
	$(CC) $(LINK) $(CFLAGS) $(LDFLAGS) -o $@ $< -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive -lcmocka $(DEP_LIBS)
