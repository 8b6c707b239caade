#include "report/json/json.h"
#include "report/report.h"

#define FORMAT_VERSION 1 /* models.schema.json describes it */

static json_t *text_or_null(const char *text)
{
	return text && *text ? json_text(text) : json_null();
}

static json_t *json_installed(const struct model_info *info)
{
	json_t *object = json_object();

	json_set(object, "name", json_text(info->name));
	json_set(object, "path", json_text(info->path));
	if (info->problem) {
		json_set(object, "problem", json_text(info->problem));
		return object;
	}
	json_set(object, "title", json_text(info->title));
	json_set(object, "vendor", text_or_null(info->vendor));
	json_set(object, "year", info->year ? json_integer(info->year) : json_null());
	json_set(object, "rows", json_count(info->n_rows));
	json_set(object, "estimator", json_string(info->estimator == ESTIMATOR_TABLE ? "table" : "pairing"));
	json_set(object, "source", json_text(info->source));
	json_set(object, "note", text_or_null(info->note));
	return object;
}

void report_write_models(FILE *out, const struct model_list *list, const struct model *host,
			 const struct error *host_error)
{
	json_t *root = json_object(), *models = json_array(), *object = json_object();

	for (size_t i = 0; i < list->n_models; i++)
		json_add(models, json_installed(&list->models[i]));
	json_set(object, "name", host ? json_text(model_name(host)) : json_null());
	json_set(object, "note", text_or_null(host ? model_note(host) : NULL));
	json_set(object, "problem", text_or_null(host ? NULL : host_error->text));
	json_set(root, "format", json_integer(FORMAT_VERSION));
	json_set(root, "models", models);
	json_set(root, "host", object);
	json_write(root, out);
}
