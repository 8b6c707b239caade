#include "report/json/region.h"

/* The version of compare.schema.json. */
#define FORMAT_VERSION 1

static json_t *json_ranks(const struct report *report, const struct comparison_row *row)
{
	json_t *ranks = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct comparison_rank *rank = &row->ranks[i];
		json_t *object = json_object();

		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "rank", json_nonzero(rank->rank));
		json_set(object, "cycles", rank->rank ? json_cycles(rank->mcyc) : json_null());
		json_set(object, "share", rank->rank ? json_real(rank->share_ppm / 1e6) : json_null());
		json_set(object, "unknown", json_count(rank->unknown));
		json_add(ranks, object);
	}
	return ranks;
}

static json_t *json_move(const struct report *report, const struct comparison_row *row)
{
	if (!row->moved_ppm)
		return json_null();
	return json_members("from", json_text(model_name(report->models[row->low])), "to",
			    json_text(model_name(report->models[row->high])), "share_moved",
			    json_real(row->moved_ppm / 1e6), NULL);
}

static json_t *json_ranking(const struct report *report, const struct comparison *comparison)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < comparison->groups.n_groups; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		json_t *object = json_object();

		json_set(object, "name", json_text(row->group->name));
		json_set_group(object, report->profile, comparison->by, row->group);
		json_set(object, "executions", json_count(row->group->executions));
		json_set(object, "iterations", json_count(row->group->iterations));
		json_set(object, "flip", json_move(report, row));
		json_set(object, "places", json_ranks(report, row));
		json_add(rows, object);
	}
	return json_members("by", json_string(json_by_name(comparison->by)), "rows", rows, NULL);
}

static json_t *json_compared_region(const struct report *report, const struct region_analysis *region)
{
	json_t *object = json_region(report, region), *rankings = json_array();

	for (size_t i = 0; i < report->analysis->request.n_by; i++)
		json_add(rankings, json_ranking(report, &region->comparisons[i]));
	json_set(object, "rankings", rankings);
	return object;
}

void json_write_comparison(const struct report *report)
{
	json_write_regions(report, FORMAT_VERSION, json_compared_region);
}
