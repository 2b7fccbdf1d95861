/* cmd_eval.c - eval: an expression, compiled and called; run: a function of a file, likewise. */
#include "cli.h"

static int call_target(const Options *o, Target *t, Arguments *a)
{
	int status;
	por_options compile;
	if (!options_compile(o, &compile)) return EXIT_USAGE;
	por_function *f = target_function(t, t->function, a, &status);
	if (!f) return status;
	CompiledCall c;
	TextValue v = {0};
	TextBuffer json = {0};
	status = call_bind(&c, t, f, a, false);
	if (status == EXIT_GOOD) status = call_compile(&c, t, &compile);
	if (status == EXIT_GOOD) status = call_run(&c, t, &v);
	if (status == EXIT_GOOD) {
		TextBuffer type = {0};
		add_structure_type(&type, por_function_result_structure(f), f, true);
		json_key(&json, "type");
		json_text(&json, buffer_get(&type));
		status = write_result(o, &v, &json);
		buffer_free(&type);
	}
	buffer_free(&json);
	value_free(&v);
	call_free(&c);
	return status;
}

static int run(Options *o)
{
	return run_target(o, "computed", call_target);
}

static const OptionSpec own[] = {
	{"output", 'o', "FILE", "save the result: .npy, or .npz for a structure", 0, ".npy or .npz"},
	{"full", 0, NULL, "print large arrays whole on a terminal"},
	{"check-finite", 0, NULL, "stop where the first NaN or infinity arises, and say where; slow"},
	{0},
};

const Command command_eval = {"eval", "'EXPR' [name=VALUE | name=@FILE | 'name: type']...",
	"an expression, compiled and called",
	"  porism eval 'sum(x^2)' x='[1.0, 2.0, 3.0]'\n"
	"  porism eval 'X @ w' X=@data.npz:x w=@w.npy -o z.npy\n"
	"What is printed reads back exactly.",
	own, TAKES_ALL, run};

const Command command_run = {"run", "FILE:FN [name=VALUE | name=@FILE]...",
	"a function of a file, compiled and called",
	"  porism run hmm.por:viterbi p=@model.npz seen='i32[3]([0, 1, 1])'\n"
	"Structures come as p='{w = ..., b = ...}', leaf by leaf as p.w=..., or from the keys of a .npz.\n"
	"  porism run -:area r=2.0 < shapes.por\n"
	"A parameter of type key that is not given is key(seed).  FILE alone lists its functions.  - is what\n"
	"standard input gives, for every command: -:NAME a function of it, - an expression.",
	own, TAKES_ALL, run, true};
