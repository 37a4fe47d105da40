/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PERF_REPORT_GRAPH_H
#define PERF_REPORT_GRAPH_H

struct report;
struct profile_row;

/* The call graph below a row, in the style of -g. */
int report_graph(struct report *r, const struct profile_row *row);

#endif
