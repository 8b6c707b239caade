#include "costmodels/model/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/model/model_private.h"

static void forget_costs(struct cost_memo *memo)
{
	if (!memo)
		return;
	for (size_t i = 0; i < memo->n_list; i++)
		free(memo->list[i].form);
	free(memo->list);
	text_index_deinit(&memo->by_form);
	free(memo);
}

void model_destroy(struct model *model)
{
	if (!model)
		return;
	forget_costs(model->memo);
	form_table_deinit(&model->forms);
	opcode_map_deinit(&model->opcodes);
	free(model->parameters);
	free(model->source);
	free(model->note);
	free(model->map_path);
	model_destroy(model->parent);
	text_file_close(&model->file);
	free(model->path);
	free(model);
}

const char *model_name(const struct model *model)
{
	return model->header.name;
}

const char *model_title(const struct model *model)
{
	return model->header.title;
}

const char *model_vendor(const struct model *model)
{
	return model->header.vendor;
}

int model_year(const struct model *model)
{
	return model->header.year;
}

const char *model_source(const struct model *model)
{
	return model->source;
}

const char *model_note(const struct model *model)
{
	return model->note;
}

size_t model_n_rows(const struct model *model)
{
	return model->has_forms ? model->forms.n_rows : opcode_map_n_figures(&model->opcodes);
}

enum cost_column model_ranking_column(const struct model *model)
{
	return model->header.ranking_column;
}

enum model_estimator model_estimator(const struct model *model)
{
	return model->header.estimator;
}

bool model_is_mapped(const struct model *model)
{
	return model->has_opcodes;
}

const char *model_parameter(const struct model *model, const char *key)
{
	for (size_t i = 0; i < model->n_parameters; i++)
		if (strcmp(model->parameters[i].key, key) == 0)
			return model->parameters[i].value;
	return NULL;
}

uint64_t model_cycle_ps(const struct model *model)
{
	const struct model_header *header = &model->header;

	if (!header->clock_khz)
		return (uint64_t)header->cycle_ps;
	return (1000000000 + (uint64_t)header->clock_khz / 2) / (uint64_t)header->clock_khz;
}

uint64_t model_time_ns(const struct model *model, mcyc_t mcyc)
{
	const struct model_header *header = &model->header;
	/* ns = mcyc / 1000 * 1000000 / kHz, or mcyc / 1000 * ps / 1000 */
	int64_t factor = header->clock_khz ? 1000 : header->cycle_ps;
	int64_t divisor = header->clock_khz ? header->clock_khz : 1000000;
	__int128 time_ns = ((__int128)mcyc * factor + divisor / 2) / divisor;

	assert(mcyc >= 0 && time_ns <= UINT64_MAX);
	return (uint64_t)time_ns;
}

void model_lookup(const struct model *model, const char *form_text, struct cost *out)
{
	struct cost_memo *memo = model->memo;
	uint32_t known = text_index_get(&memo->by_form, form_text, strlen(form_text));
	struct known_cost *added;

	if (known != TEXT_INDEX_NONE) {
		*out = memo->list[known].cost;
		return;
	}
	*out = (struct cost){0};
	if (model->has_forms)
		form_table_lookup(&model->forms, form_text, model->header.ranking_column, out);
	else
		opcode_map_lookup(&model->opcodes, form_text, out);
	added = ARRAY_ADD(memo, list);
	*added = (struct known_cost){.form = xstrdup(form_text), .cost = *out};
	text_index_put(&memo->by_form, added->form, strlen(form_text), (uint32_t)(memo->n_list - 1));
}

const char *model_row_form(const struct model *model, size_t row)
{
	return row < model->forms.n_rows ? model->forms.rows[row].form : NULL;
}

bool model_has_row(const struct model *model, const char *form_text)
{
	return text_index_get(&model->forms.by_form, form_text, strlen(form_text)) != TEXT_INDEX_NONE;
}
