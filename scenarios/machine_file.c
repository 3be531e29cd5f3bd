/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a machine profile.  One table says which key is which member; times
 * in cycles need the clock, so [machine] stands first in it.
 */
#include "scenarios/machine_file.h"
#include "scenarios/strict.h"
#include "scenarios/value.h"

#include <string.h>

#define MACHINE_SUFFIX ".machine"
#define MAX_CORES 64
#define MAX_TIME_PS (100 * PS_PER_US)

enum field_kind {
	FIELD_TEXT,	/* char * */
	FIELD_U32,	/* u32, min to max */
	FIELD_MIB,	/* u64: MiB from min to max, kept as bytes */
	FIELD_MHZ,	/* u64: MHz with decimals, kept as kHz */
	FIELD_MILLI,	/* u32: a number with decimals, kept in thousandths;
			 * min and max as well */
	FIELD_TIME,	/* ps_t */
	FIELD_TIME_NONE,/* ps_t, or none */
	FIELD_CACHE,	/* struct cache_profile */
	FIELD_CACHE_NONE,
	FIELD_BOOL,	/* bool */
	FIELD_LINE,	/* no member: must be LINE_SIZE */
	FIELD_IDLE,	/* struct idle_state [], or none */
};

struct field {
	const char *group, *name;
	enum field_kind kind;
	size_t offset;
	u64 min, max;
};

#define AT(member) offsetof(struct machine_profile, member)
#define LATENCY(level) (AT(latency) + (level) * sizeof(ps_t))

static const struct field fields[] = {
	{ "machine", "title", FIELD_TEXT, AT(title), 0, 0 },
	{ "machine", "packages", FIELD_U32, AT(packages), 1, 8 },
	{ "machine", "cores", FIELD_U32, AT(cores), 1, MAX_CORES },
	{ "machine", "threads", FIELD_U32, AT(threads), 1, 2 },
	{ "machine", "clock_mhz", FIELD_MHZ, AT(clock_khz), 100, 10000 },
	{ "machine", "memory_mib", FIELD_MIB, AT(node_bytes), 64, 1 << 24 },

	{ "instructions", "cycles_per_instruction", FIELD_MILLI,
	  AT(cpi_milli), 100, 20000 },
	{ "instructions", "smt_slowdown", FIELD_MILLI, AT(smt_milli), 1000,
	  3000 },
	{ "instructions", "jitter", FIELD_MILLI, AT(jitter_milli), 0, 900 },
	{ "instructions", "syscall", FIELD_TIME, AT(syscall_ps), 0, 0 },

	{ "caches", "line_bytes", FIELD_LINE, 0, 0, 0 },
	{ "caches", "l1d", FIELD_CACHE, AT(l1d), 0, 0 },
	{ "caches", "l2", FIELD_CACHE, AT(l2), 0, 0 },
	{ "caches", "l3", FIELD_CACHE_NONE, AT(l3), 0, 0 },
	{ "caches", "line_fill_buffers", FIELD_U32, AT(line_fill_buffers), 1,
	  64 },
	{ "caches", "adjacent_line_prefetch", FIELD_BOOL,
	  AT(adjacent_line_prefetch), 0, 0 },

	{ "latency", "l1", FIELD_TIME, LATENCY(LEVEL_L1_HIT), 0, 0 },
	{ "latency", "l2", FIELD_TIME, LATENCY(LEVEL_L2_HIT), 0, 0 },
	{ "latency", "sibling", FIELD_TIME_NONE, LATENCY(LEVEL_SIBLING_HIT),
	  0, 0 },
	{ "latency", "l3", FIELD_TIME_NONE, LATENCY(LEVEL_L3_HIT), 0, 0 },
	{ "latency", "other_core_clean", FIELD_TIME_NONE,
	  LATENCY(LEVEL_OTHER_CORE_CLEAN), 0, 0 },
	{ "latency", "other_core_modified", FIELD_TIME_NONE,
	  LATENCY(LEVEL_OTHER_CORE_HITM), 0, 0 },
	{ "latency", "other_package_clean", FIELD_TIME_NONE,
	  LATENCY(LEVEL_OTHER_PACKAGE_CLEAN), 0, 0 },
	{ "latency", "other_package_modified", FIELD_TIME_NONE,
	  LATENCY(LEVEL_OTHER_PACKAGE_HITM), 0, 0 },
	{ "latency", "dram_local", FIELD_TIME, LATENCY(LEVEL_LOCAL_DRAM), 0,
	  0 },
	{ "latency", "dram_remote", FIELD_TIME_NONE,
	  LATENCY(LEVEL_REMOTE_DRAM), 0, 0 },

	{ "stores", "store_buffer", FIELD_U32, AT(store_buffer), 1, 256 },
	{ "stores", "atomic", FIELD_TIME, AT(atomic_ps), 0, 0 },
	{ "stores", "fence", FIELD_TIME, AT(fence_ps), 0, 0 },

	{ "contention", "conflict", FIELD_TIME_NONE, AT(conflict_ps), 0, 0 },

	{ "strings", "rep", FIELD_TIME_NONE, AT(rep_ps), 0, 0 },

	{ "interrupts", "interrupt", FIELD_TIME_NONE, AT(interrupt_ps), 0, 0 },
	{ "interrupts", "ipi", FIELD_TIME_NONE, AT(ipi_ps), 0, 0 },
	{ "interrupts", "context_switch", FIELD_TIME_NONE,
	  AT(context_switch_ps), 0, 0 },

	{ "idle", "states", FIELD_IDLE, 0, 0, 0 },
};

static const char *const field_groups[] = {
	"machine", "instructions", "caches", "latency", "stores",
	"contention", "strings", "interrupts", "idle", NULL
};

/* ---- names ---- */

static const struct field *find_field(const char *group, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].group, group) == 0 &&
		    strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

static gboolean unknown_key(const char *group, const char *name,
			    struct place place, GError **error)
{
	const char *names[ARRAY_SIZE(fields) + 1];
	g_autofree char *list = NULL;
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].group, group) == 0)
			names[n++] = fields[i].name;
	names[n] = NULL;
	near = nearest_name(name, names);
	if (near)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "unknown key '%.60s' in [%s]; did you mean "
			       "'%s'?", name, group, near);
	list = g_strjoinv(", ", (char **)names);
	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "unknown key '%.60s' in [%s]; it has %s", name, group,
		       list);
}

static gboolean unknown_group(const char *name, struct place place,
			      GError **error)
{
	const char *near = nearest_name(name, field_groups);
	g_autofree char *list = NULL;

	if (near)
		return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
			       "unknown group [%.60s]; did you mean [%s]?",
			       name, near);
	list = g_strjoinv(", ", (char **)field_groups);
	return fail_at(place, SCENARIO_ERROR_SYNTAX, error,
		       "unknown group [%.60s]; a machine has %s", name, list);
}

static gboolean check_names(const struct strict_file *file, GError **error)
{
	for (guint i = 0; i < file->groups->len; i++) {
		const struct strict_group *group = file->groups->pdata[i];

		if (!g_strv_contains(field_groups, group->name))
			return unknown_group(group->name,
					     strict_place(file, group->line),
					     error);
		for (guint j = 0; j < group->entries->len; j++) {
			const struct strict_entry *entry =
				group->entries->pdata[j];

			if (!find_field(group->name, entry->key))
				return unknown_key(group->name, entry->key,
						   strict_place(file,
								entry->line),
						   error);
		}
	}
	return TRUE;
}

/* ---- numbers ---- */

static gboolean bad_value(const struct field *f, const char *text,
			  struct place place, const char *right,
			  GError **error)
{
	return fail_at(place, SCENARIO_ERROR_VALUE, error,
		       "'%.60s' of '%s' is wrong; %s", text, f->name, right);
}

/* "12", "12.5", "0.001": in thousandths.  At most nine digits before the
 * point, so that no product below overflows. */
static gboolean parse_milli(const char *text, u64 *ret)
{
	size_t whole = strspn(text, "0123456789");
	u64 value = 0;
	u64 unit = 100;

	if (!whole || whole > 9)
		return FALSE;
	for (size_t i = 0; i < whole; i++)
		value = value * 10 + (u64)(text[i] - '0');
	value *= 1000;
	text += whole;
	if (*text == '.') {
		text++;
		if (!g_ascii_isdigit(*text))
			return FALSE;
		for (; g_ascii_isdigit(*text); text++, unit /= 10) {
			if (!unit)
				return FALSE;
			value += (u64)(*text - '0') * unit;
		}
	}
	if (*text)
		return FALSE;
	*ret = value;
	return TRUE;
}

static gboolean read_milli(const struct field *f, const char *text, u64 min,
			   u64 max, struct place place, u64 *ret,
			   GError **error)
{
	g_autofree char *range = NULL;

	if (parse_milli(text, ret) && *ret >= min && *ret <= max)
		return TRUE;
	range = g_strdup_printf("write a number from %u.%03u to %u.%03u with "
				"a decimal point and at most three decimals",
				(unsigned int)(min / 1000),
				(unsigned int)(min % 1000),
				(unsigned int)(max / 1000),
				(unsigned int)(max % 1000));
	return bad_value(f, text, place, range, error);
}

/* A cycle is 10^9 / khz ps, so a thousandth of one is 10^6 / khz. */
static u64 milli_cycles_to_ps(u64 milli, u64 khz)
{
	return (milli * 1000000 + khz / 2) / khz;
}

static gboolean read_time(const struct field *f, const char *text, u64 khz,
			  struct place place, ps_t *ret, GError **error)
{
	static const char right[] =
		"write 'N cycles' or 'N ns', N with at most three decimals, "
		"from 0.001 to 100000 ns";
	g_autofree char *joined = join_words(text);
	g_auto(GStrv) words = g_strsplit(joined, " ", -1);
	u64 milli;

	if (f->kind == FIELD_TIME_NONE && strcmp(joined, "none") == 0) {
		*ret = 0;
		return TRUE;
	}
	if (g_strv_length(words) != 2 || !parse_milli(words[0], &milli))
		return bad_value(f, text, place, right, error);
	if (strcmp(words[1], "ns") == 0)
		*ret = milli;
	else if (strcmp(words[1], "cycles") == 0 &&
		 milli <= UINT64_MAX / 1000000 - 1)
		*ret = milli_cycles_to_ps(milli, khz);
	else
		return bad_value(f, text, place, right, error);
	if (!*ret || *ret > MAX_TIME_PS)
		return bad_value(f, text, place, right, error);
	return TRUE;
}

/* "32 KiB 8 ways", "12 MiB 16 ways" */
static gboolean read_cache(const struct field *f, const char *text,
			   struct place place, struct cache_profile *ret,
			   GError **error)
{
	static const char right[] =
		"write 'N KiB N ways' or 'N MiB N ways': 1 KiB to 2048 MiB, "
		"1 to 64 ways, whole sets of 64-byte lines";
	g_autofree char *joined = join_words(text);
	g_auto(GStrv) words = g_strsplit(joined, " ", -1);
	u64 size, ways;
	int shift;

	if (f->kind == FIELD_CACHE_NONE && strcmp(joined, "none") == 0) {
		*ret = (struct cache_profile){ 0, 0 };
		return TRUE;
	}
	if (g_strv_length(words) != 4 || strcmp(words[3], "ways") != 0)
		return bad_value(f, text, place, right, error);
	if (strcmp(words[1], "KiB") == 0)
		shift = 10;
	else if (strcmp(words[1], "MiB") == 0)
		shift = 20;
	else
		return bad_value(f, text, place, right, error);
	if (!g_ascii_string_to_unsigned(words[0], 10, 1, 1ull << (31 - shift),
					&size, NULL) ||
	    !g_ascii_string_to_unsigned(words[2], 10, 1, 64, &ways, NULL) ||
	    (size << shift) % (ways * LINE_SIZE))
		return bad_value(f, text, place, right, error);
	ret->size = (u32)(size << shift);
	ret->ways = (u32)ways;
	return TRUE;
}

/* "C1 3 us 6 us": a name, the exit latency, the target residency. */
static gboolean read_idle_state(const char *text, struct idle_state *ret)
{
	g_autofree char *joined = join_words(text);
	g_auto(GStrv) words = g_strsplit(joined, " ", -1);
	u64 exit, residency;

	if (g_strv_length(words) != 5 || strcmp(words[2], "us") != 0 ||
	    strcmp(words[4], "us") != 0 ||
	    strlen(words[0]) >= sizeof(ret->name) ||
	    !g_ascii_isalpha(*words[0]) ||
	    !g_ascii_string_to_unsigned(words[1], 10, 1, 100000, &exit, NULL) ||
	    !g_ascii_string_to_unsigned(words[3], 10, 1, 100000, &residency,
					NULL))
		return FALSE;
	g_strlcpy(ret->name, words[0], sizeof(ret->name));
	ret->exit_ps = exit * PS_PER_US;
	ret->residency_ps = residency * PS_PER_US;
	return TRUE;
}

/* The deeper, the longer. */
static gboolean read_idle(const struct field *f, const char *text,
			  struct place place, struct machine_profile *profile,
			  GError **error)
{
	static const char right[] =
		"write none, or up to 8 states from the lightest to the "
		"deepest, 'NAME N us N us' each with ';' between: exit latency "
		"and target residency, from 1 to 100000 us, both growing";
	g_auto(GStrv) parts = g_strsplit(text, ";", -1);
	struct idle_state *s = profile->idle;
	guint n = g_strv_length(parts);

	if (strcmp(text, "none") == 0)
		return TRUE;
	if (!n || n > MAX_IDLE_STATES)
		return bad_value(f, text, place, right, error);
	for (guint i = 0; i < n; i++)
		if (!read_idle_state(parts[i], &s[i]) ||
		    (i && (s[i].exit_ps <= s[i - 1].exit_ps ||
			   s[i].residency_ps <= s[i - 1].residency_ps)))
			return bad_value(f, text, place, right, error);
	profile->num_idle = n;
	return TRUE;
}

static gboolean read_bool(const struct field *f, const char *text,
			  struct place place, bool *ret, GError **error)
{
	*ret = strcmp(text, "true") == 0;
	if (*ret || strcmp(text, "false") == 0)
		return TRUE;
	return bad_value(f, text, place, "write true or false", error);
}

/* ---- one field ---- */

static gboolean read_field(const struct field *f, const char *text,
			   struct place place, struct machine_profile *profile,
			   GError **error)
{
	void *at = (char *)profile + f->offset;
	g_autofree char *what = g_strdup_printf("'%s'", f->name);
	u64 number;

	switch (f->kind) {
	case FIELD_TEXT:
		if (!*text || strpbrk(text, "\n\r"))
			return bad_value(f, text, place, "write one line",
					 error);
		*(char **)at = g_strdup(text);
		return TRUE;
	case FIELD_U32:
	case FIELD_LINE:
		if (!read_whole(what, text,
				f->kind == FIELD_LINE ? LINE_SIZE : f->min,
				f->kind == FIELD_LINE ? LINE_SIZE : f->max,
				place, &number, error))
			return FALSE;
		if (f->kind == FIELD_U32)
			*(u32 *)at = (u32)number;
		return TRUE;
	case FIELD_MIB:
		if (!read_whole(what, text, f->min, f->max, place, &number,
				error))
			return FALSE;
		*(u64 *)at = number << 20;
		return TRUE;
	case FIELD_MHZ:
		return read_milli(f, text, f->min * 1000, f->max * 1000,
				  place, at, error);
	case FIELD_MILLI:
		if (!read_milli(f, text, f->min, f->max, place, &number,
				error))
			return FALSE;
		*(u32 *)at = (u32)number;
		return TRUE;
	case FIELD_TIME:
	case FIELD_TIME_NONE:
		return read_time(f, text, profile->clock_khz, place, at,
				 error);
	case FIELD_CACHE:
	case FIELD_CACHE_NONE:
		return read_cache(f, text, place, at, error);
	case FIELD_BOOL:
		return read_bool(f, text, place, at, error);
	case FIELD_IDLE:
		return read_idle(f, text, place, profile, error);
	}
	g_assert_not_reached();
}

/* ---- what the fields are together ---- */

static struct place place_of(const struct strict_file *file, const char *group,
			     const char *name)
{
	const struct strict_group *g = strict_file_group(file, group);

	return strict_place(file, strict_group_entry(g, name)->line);
}

/* "none" only where the machine lacks the thing. */
static gboolean check_none(const struct strict_file *file,
			   const struct machine_profile *p, GError **error)
{
	const struct {
		enum level level;
		const char *name;
		bool needed;
		const char *why;
	} rules[] = {
		{ LEVEL_SIBLING_HIT, "sibling", p->threads > 1,
		  "threads is 2" },
		{ LEVEL_L3_HIT, "l3", p->l3.size, "[caches] has an l3" },
		{ LEVEL_OTHER_CORE_CLEAN, "other_core_clean", p->cores > 1,
		  "a package has several cores" },
		{ LEVEL_OTHER_CORE_HITM, "other_core_modified", p->cores > 1,
		  "a package has several cores" },
		{ LEVEL_OTHER_PACKAGE_CLEAN, "other_package_clean",
		  p->packages > 1, "there are several packages" },
		{ LEVEL_OTHER_PACKAGE_HITM, "other_package_modified",
		  p->packages > 1, "there are several packages" },
		{ LEVEL_REMOTE_DRAM, "dram_remote", p->packages > 1,
		  "there are several packages" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].needed && !p->latency[rules[i].level])
			return fail_at(place_of(file, "latency",
						rules[i].name),
				       SCENARIO_ERROR_VALUE, error,
				       "'%s' cannot be none, since %s; give a "
				       "time", rules[i].name, rules[i].why);
	if (p->packages > 1 && !p->conflict_ps)
		return fail_at(place_of(file, "contention", "conflict"),
			       SCENARIO_ERROR_VALUE, error,
			       "'conflict' cannot be none, since there are "
			       "several packages; give a time");
	return TRUE;
}

/* Farther is never faster: l1, l2, l3, local and remote memory. */
static gboolean check_order(const struct strict_file *file,
			    const struct machine_profile *p, GError **error)
{
	static const struct {
		enum level level;
		const char *name;
	} chain[] = {
		{ LEVEL_L1_HIT, "l1" }, { LEVEL_L2_HIT, "l2" },
		{ LEVEL_L3_HIT, "l3" }, { LEVEL_LOCAL_DRAM, "dram_local" },
		{ LEVEL_REMOTE_DRAM, "dram_remote" },
	};
	size_t last = 0;

	for (size_t i = 1; i < ARRAY_SIZE(chain); i++) {
		if (!p->latency[chain[i].level])
			continue;
		if (p->latency[chain[i].level] < p->latency[chain[last].level])
			return fail_at(place_of(file, "latency",
						chain[i].name),
				       SCENARIO_ERROR_VALUE, error,
				       "'%s' is faster than '%s'; the farther "
				       "is never the faster", chain[i].name,
				       chain[last].name);
		last = i;
	}
	return TRUE;
}

static gboolean check_whole(const struct strict_file *file,
			    const struct machine_profile *p, GError **error)
{
	if (p->packages * p->cores > MAX_CORES)
		return fail_at(place_of(file, "machine", "cores"),
			       SCENARIO_ERROR_VALUE, error,
			       "%u packages of %u cores are more than %d "
			       "cores", p->packages, p->cores, MAX_CORES);
	if (p->threads == 1 && p->smt_milli != 1000)
		return fail_at(place_of(file, "instructions", "smt_slowdown"),
			       SCENARIO_ERROR_VALUE, error,
			       "'smt_slowdown' must be 1 where threads is 1");
	return check_none(file, p, error) && check_order(file, p, error);
}

/* ---- the file ---- */

static gboolean read_fields(const struct strict_file *file,
			    struct machine_profile *profile, GError **error)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];
		const struct strict_group *group =
			strict_file_group(file, f->group);
		const struct strict_entry *entry =
			group ? strict_group_entry(group, f->name) : NULL;

		if (!entry)
			return fail_at(strict_place(file, group ? group->line :
						    file->lines),
				       SCENARIO_ERROR_SYNTAX, error,
				       "missing key '%s' in [%s]; every "
				       "number of a machine must be given",
				       f->name, f->group);
		if (!read_field(f, entry->value,
				strict_place(file, entry->line), profile,
				error))
			return FALSE;
	}
	return TRUE;
}

static char *profile_name(const char *path)
{
	char *name = g_path_get_basename(path);

	if (g_str_has_suffix(name, MACHINE_SUFFIX))
		name[strlen(name) - strlen(MACHINE_SUFFIX)] = '\0';
	return name;
}

struct machine_profile *machine_profile_parse(const char *path,
					      const char *text, gsize len,
					      GError **error)
{
	g_autoptr(StrictFile) file = strict_file_parse(path, text, len, error);
	g_autoptr(MachineProfile) profile = NULL;

	if (!file || !check_names(file, error))
		return NULL;
	profile = g_new0(struct machine_profile, 1);
	profile->name = profile_name(path);
	if (!read_fields(file, profile, error) ||
	    !check_whole(file, profile, error))
		return NULL;
	return g_steal_pointer(&profile);
}

struct machine_profile *machine_profile_load(const char *path, GError **error)
{
	gsize len;
	g_autofree char *text = strict_read(path, &len, error);

	if (!text)
		return NULL;
	return machine_profile_parse(path, text, len, error);
}

void machine_profile_free(struct machine_profile *profile)
{
	if (!profile)
		return;
	g_free(profile->name);
	g_free(profile->title);
	g_free(profile);
}
