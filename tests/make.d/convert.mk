# SPDX-License-Identifier: GPL-2.0-or-later
# A recorder of branches by single steps, and the program that it traces: with relocations and
# a build id, as BOLT wants them.
ifeq ($(shell uname -m),x86_64)
TEST_HELPERS += $(O)/tests/helpers/branch-trace $(O)/tests/helpers/hot-paths
endif

$(O)/tests/helpers/branch-trace: $(O)/tests/helpers/branch-trace.o $(O)/libperf.a
	@echo '  LINK    $@'
	@$(CC) $(LDFLAGS_ALL) -o $@ $< $(O)/libperf.a $(LIBS) -lm

# GCC moves cold blocks away, which clang does not, nor does it know the flag.
WHOLE_FUNCTIONS := $(if $(findstring clang,$(CC)),,-fno-reorder-blocks-and-partition)

# In assembler of x86. Static: a trace of it is of itself, and not of the linker at run time.
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
TEST_HELPERS += $(O)/tests/helpers/branch-kinds
$(O)/tests/helpers/branch-kinds: tests/helpers/branch-kinds.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O1 -g -static-pie -Wl,--build-id -Wall -Wextra -o $@ $<
endif

$(O)/tests/helpers/hot-paths: tests/helpers/hot-paths.c
	@mkdir -p $(@D)
	@echo '  HELPER  $<'
	@$(CC) -O2 -gdwarf-4 $(WHOLE_FUNCTIONS) -Wl,--emit-relocs,--build-id,-z,now $< -o $@

-include $(O)/tests/helpers/branch-trace.d
