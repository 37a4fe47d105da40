# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that the system test of perf report records.
CXX ?= g++
TEST_HELPERS += $(O)/tests/helpers/report-jit $(O)/tests/helpers/report-cpp

$(O)/tests/helpers/report-jit: tests/helpers/report-jit.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

$(O)/tests/helpers/report-cpp: tests/helpers/report-cpp.cpp
	@mkdir -p $(@D)
	@echo '  CXX     $@'
	@$(CXX) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

TEST_HELPERS += $(O)/tests/helpers/jit-dump
$(O)/tests/helpers/jit-dump: tests/helpers/jit-dump.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

TEST_HELPERS += $(O)/tests/helpers/calls
$(O)/tests/helpers/calls: tests/helpers/calls.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O1 -g -fno-omit-frame-pointer -Wall -Wextra -o $@ $<

DEEP := $(addprefix $(O)/tests/helpers/,deep-frames deep-frames-fp deep-frames-large)
TEST_HELPERS += $(DEEP)
$(O)/tests/helpers/deep-frames: DEEP_FLAGS := -fomit-frame-pointer -DNO_FRAME_POINTER -DFRAME=64
$(O)/tests/helpers/deep-frames-fp: DEEP_FLAGS := -fno-omit-frame-pointer -DFRAME=64
$(O)/tests/helpers/deep-frames-large: DEEP_FLAGS := -fomit-frame-pointer -DFRAME=20000
$(DEEP): tests/helpers/deep-frames.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O2 $(DEEP_FLAGS) -Wall -Wextra -o $@ $<

CONTAINED := $(addprefix $(O)/tests/helpers/,contained contained-no-id)
TEST_HELPERS += $(CONTAINED)
$(O)/tests/helpers/contained: CONTAINED_FLAGS := -Wl,--build-id=sha1
$(O)/tests/helpers/contained-no-id: CONTAINED_FLAGS := -Wl,--build-id=none
$(CONTAINED): tests/helpers/contained.c
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) -O2 -Wall -Wextra $(CONTAINED_FLAGS) -o $@ $<
