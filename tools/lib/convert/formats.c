// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The formats of perf data convert, in the order in which they are listed: what optimizers read, then
 * what people look at. A format that is here is whole: nothing else has a list of them.
 */
#include "convert/convert-int.h"

static const struct convert_format *const formats[] = {
	/* for optimizers */
	&convert_fdata,
	&convert_preagg,
	&convert_autofdo,
	&convert_profgen,
	&convert_llvm,
	&convert_llvm_extbinary,
	&convert_afdo,
	&convert_symbol_order,
	&convert_call_order,
	&convert_path_order,
	&convert_propeller,
	/* for people */
	&convert_folded,
	&convert_json,
	&convert_pprof,
	&convert_otlp,
	&convert_speedscope,
	&convert_firefox,
	&convert_callgrind,
	&convert_chrome,
	&convert_html,
	/* for databases */
	&convert_parquet,
	&convert_native,
	&convert_pgcopy,
};

const struct convert_format *convert_format_at(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}

const struct convert_format *convert_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}
