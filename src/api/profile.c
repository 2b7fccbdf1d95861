/* profile.c - how often each step of a program ran, and how long it took. */
#define POR_NO_LINES
#include "compiled.h"

const char *core_name(const Step *s)
{
	static const char *const cores[] = {[CORE_CONTRACT] = "contract",
		[CORE_CUMSUM] = "cumsum",
		[CORE_SCATTER] = "scatter",
		[CORE_TOP_K] = "top_k",
		[CORE_QR] = "qr",
		[CORE_TRI_SOLVE] = "tri_solve",
		[CORE_COPY] = "copy",
		[CORE_JOIN] = "join",
		[CORE_CARRY] = "carry",
		[CORE_EFFECT] = "effect"};
	return s->call->core == CORE_CUSTOM ? ((const Custom *)s->call->custom)->name : cores[s->call->core];
}

static const char *step_name(Arena *a, const Step *s)
{
	if (s->kind == STEP_KERNEL) return arena_printf(a, "kernel %u", s->call->kernel->index);
	if (s->kind == STEP_LOOP && s->condition) return s->unless ? "if: where it does not hold" : "if: where it holds";
	if (s->kind == STEP_LOOP) return arena_printf(a, "loop %u, all of it", s->loop);
	return core_name(s);
}

static void text_list(Text *t, const Program *p, const Step *s, int depth)
{
	for (; s; s = s->next) {
		StepTaken k = program_taken(p, s->number);
		text_printf(t, "%12lld %12.3f %10.3f  %*s%s", (long long)k.calls, (double)k.nanoseconds * 1e-6,
			k.calls ? (double)k.nanoseconds * 1e-3 / (double)k.calls : 0, 2 * depth, "",
			step_name(t->arena, s));
		if (s->call->file && s->line) text_printf(t, "  %s:%d", s->call->file, s->line);
		text_char(t, '\n');
		if (s->kind == STEP_LOOP) text_list(t, p, s->body, depth + 1);
	}
}

/* Steps in their order, those of a loop below it. */
void profile_text(Text *t, const Program *p)
{
	text_add(t, "       calls           ms    us/call\n");
	text_list(t, p, program_plan(p)->first, 0);
}

/* inside: the step of the loop around it, or null. */
static void json_list(Text *t, const Program *p, const Step *s, const char *inside)
{
	for (; s; s = s->next) {
		StepTaken k = program_taken(p, s->number);
		text_printf(t, "%s{\"step\":%u,\"inside\":%s,\"what\":", s->number ? ",\n" : "", s->number,
			inside);
		json_quote(t, step_name(t->arena, s));
		text_printf(t, ",\"calls\":%lld,\"nanoseconds\":%lld,\"bytes\":%lld,\"work\":%lld",
			(long long)k.calls, (long long)k.nanoseconds, (long long)k.bytes, (long long)k.work);
		if (s->kind == STEP_KERNEL || s->kind == STEP_CORE) {
			text_add(t, ",\"computes\":");
			json_quote(t, s->call->rules ? s->call->rules : "");
		}
		text_add(t, ",\"file\":");
		if (s->call->file && s->line) {
			json_quote(t, s->call->file);
			text_printf(t, ",\"line\":%d}", s->line);
		} else
			text_add(t, "null,\"line\":null}");
		if (s->kind == STEP_LOOP) json_list(t, p, s->body, arena_printf(t->arena, "%u", s->number));
	}
}

void profile_json(Text *t, const Program *p)
{
	text_char(t, '[');
	json_list(t, p, program_plan(p)->first, "null");
	text_add(t, "]\n");
}
