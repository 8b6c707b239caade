#include "analysis/comparison.h"
#include "report/json/parts.h"

/* compare.schema.json describes what is written here. */
#define FORMAT_VERSION 1

static json_t *json_places(const struct report *report, const struct compare_row *row)
{
	json_t *places = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct compare_place *place = &row->places[i];
		json_t *object = json_object();

		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "rank", place->rank ? json_count(place->rank) : json_null());
		json_set(object, "cycles", place->rank ? json_cycles(place->mcyc) : json_null());
		json_set(object, "share", place->rank ? json_real(place->share_ppm / 1e6) : json_null());
		json_set(object, "unknown", json_count(place->unknown));
		json_add(places, object);
	}
	return places;
}

static json_t *json_flip(const struct report *report, const struct compare_row *row)
{
	json_t *flip;

	if (!row->moved_ppm)
		return json_null();
	flip = json_object();
	json_set(flip, "from", json_text(model_name(report->models[row->low])));
	json_set(flip, "to", json_text(model_name(report->models[row->high])));
	json_set(flip, "share_moved", json_real(row->moved_ppm / 1e6));
	return flip;
}

static json_t *json_ranking(const struct report *report, const struct section *section, enum profile_group_by by)
{
	json_t *ranking = json_object(), *rows = json_array();
	struct comparison comparison;

	comparison_init(&comparison, report->profile, section->region_index, by, section->estimates, report->n_models);
	for (size_t i = 0; i < comparison.groups.n_groups; i++) {
		const struct compare_row *row = &comparison.rows[i];
		json_t *object = json_object();

		json_set(object, "name", json_text(row->group->name));
		json_set_group(object, report->profile, by, row->group);
		json_set(object, "executions", json_count(row->group->executions));
		json_set(object, "iterations", json_count(row->group->iterations));
		json_set(object, "flip", json_flip(report, row));
		json_set(object, "places", json_places(report, row));
		json_add(rows, object);
	}
	comparison_deinit(&comparison);
	json_set(ranking, "by", json_string(json_by_name(by)));
	json_set(ranking, "rows", rows);
	return ranking;
}

static json_t *json_region(const struct report *report, const struct section *section)
{
	enum profile_group_by by[COMPARE_MAX_BY];
	size_t n_by = report_compare_by(report->options, by);
	json_t *object = json_section(report, section), *rankings = json_array();

	for (size_t i = 0; i < n_by; i++)
		json_add(rankings, json_ranking(report, section, by[i]));
	json_set(object, "rankings", rankings);
	return object;
}

void report_write_compare_json(const struct report *report)
{
	json_write_sections(report, FORMAT_VERSION, json_region);
}
