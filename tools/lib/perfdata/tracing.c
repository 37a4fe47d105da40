// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of tracepoints out of feature TRACING_DATA: its bytes are found here, what they say is known
 * to room trace. They are read once, when somebody asks: most files name their events themselves.
 */
#include <stdio.h>

#include "perfdata-int.h"

void tracing_forget(struct perfdata *pd)
{
	trace_free(pd->trace);
	pd->trace = NULL;
	pd->trace_read = false;
}

/* Loaded on first use, so the object changes though nobody can see it. */
const struct trace *perfdata_trace(const struct perfdata *at)
{
	struct perfdata *pd = (struct perfdata *)at;
	const void *data;
	size_t size;

	if (pd->trace_read)
		return pd->trace;
	data = perfdata_feature_raw(pd, FEAT_TRACING_DATA, &size);
	if (!data)
		return NULL;
	pd->trace_read = true;
	(void)trace_new(&pd->trace, data, size, NULL); /* names are no reason to fail */
	return pd->trace;
}

/* "system:name" of an event that nothing else named. */
int tracing_name_event(struct perfdata *pd, struct pd_event *ev)
{
	const struct trace_format *f;
	char text[256];

	if (ev->named || ev->pub.attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	f = trace_find(perfdata_trace(pd), ev->pub.attr.config);
	if (!f || !f->name)
		return 0;
	snprintf(text, sizeof(text), "%s:%.*s", f->system, (int)min_u64(f->name_size, 200),
		 f->name);
	return perfdata_set_event_name(pd, ev, text, strlen(text));
}

int tracing_name_events(struct perfdata *pd)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < pd->events.n; i++)
		ret = tracing_name_event(pd, pd->events.v[i]);
	return ret;
}
