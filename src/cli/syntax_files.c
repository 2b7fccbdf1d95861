/* syntax_files.c - what editors colour: for Vim a syntax file and what finds it, for others a
 * grammar of TextMate's.
 *
 * Words, signs, dtypes and names of operators come from the library, so that each is there.
 */
#include "cli.h"

#include <ctype.h>
#include <string.h>

static bool is_word(const char *text)
{
	if (!islower((unsigned char)*text)) return false;
	while (is_name_char(*text)) text++;
	return !*text;
}

/* Signs that are no punctuation. */
static bool is_operator(const char *sign)
{
	return !strchr("()[]{},:.", *sign) || !strcmp(sign, "..");
}

/* All words of a kind, with a text between two of them; dtypes where kind is below 0. */
static void put_words(FILE *to, int kind, const char *between)
{
	const char *word, *before = "";
	for (int i = 0; kind >= 0 && (word = por_word(kind, i)); i++) {
		if (!is_word(word)) continue;
		fprintf(to, "%s%s", before, word);
		before = between;
	}
	for (int i = 0; kind < 0 && i < 256; i++) {
		if (!por_dtype_bytes(i)) continue;
		fprintf(to, "%s%s", before, por_dtype_name(i));
		before = between;
	}
}

/* Signs as a pattern: those of `special` get this text before them. */
static void put_signs(FILE *to, const char *special, const char *escape, const char *between)
{
	const char *sign, *before = "";
	for (int i = 0; (sign = por_word(POR_WORD_SIGN, i)); i++) {
		if (!is_operator(sign)) continue;
		fputs(before, to);
		for (; *sign; sign++) fprintf(to, "%s%c", strchr(special, *sign) ? escape : "", *sign);
		before = between;
	}
}

static void vim(FILE *to)
{
	fputs("\" Vim syntax file of Porism's notation, made by `porism --syntax=vim`.\n"
	      "if exists('b:current_syntax')\n  finish\nendif\n\nsyn case match\nsyn keyword porismKeyword ",
		to);
	put_words(to, POR_WORD_KEYWORD, " ");
	fputs("\nsyn keyword porismType ", to);
	put_words(to, -1, " ");
	fputs("\nsyn keyword porismOperatorName ", to);
	put_words(to, POR_WORD_BUILTIN, " ");
	fputs("\nsyn keyword porismConstant true false pi inf nan\nsyn match porismOperator \"", to);
	put_signs(to, "*^~[].$\\/", "\\", "\\|");
	fputs("\"\nsyn match porismNumber \"\\<\\d[0-9_]*\\(\\.\\d[0-9_]*\\)\\=\\(e[+-]\\=\\d\\+\\)\\=i\\=\\>\"\n"
	      "syn match porismNumber \"\\<0x\\x\\+\\(\\.\\x\\+\\)\\=\\(p[+-]\\=\\d\\+\\)\\=\\>\"\n"
	      "syn match porismFunction \"\\(\\<\\(fn\\|op\\)\\s\\+\\)\\@<=\\k\\+\"\n"
	      "syn match porismRule \"^\\k\\+\\ze\\(\\[[^]]*\\]\\)\\=:\"\n"
	      "syn match porismField \"\\.\\@<!\\.\\k\\+\"\n"
	      "syn match porismComment \"#.*$\" contains=@Spell\n\n"
	      "hi def link porismKeyword Keyword\nhi def link porismType Type\n"
	      "hi def link porismOperatorName Function\nhi def link porismConstant Constant\n"
	      "hi def link porismOperator Operator\nhi def link porismNumber Number\n"
	      "hi def link porismFunction Function\nhi def link porismRule Label\n"
	      "hi def link porismField Identifier\nhi def link porismComment Comment\n\n"
	      "setlocal commentstring=#\\ %s\nsetlocal comments=:#\nlet b:current_syntax = 'porism'\n",
		to);
}

static void ftdetect(FILE *to)
{
	fputs("\" Made by `porism --syntax=ftdetect`.\nau BufNewFile,BufRead *.por setfiletype porism\n", to);
}

static void textmate(FILE *to)
{
	fputs("{\n  \"name\": \"Porism\",\n  \"scopeName\": \"source.porism\",\n  \"fileTypes\": [\"por\"],\n"
	      "  \"comment\": \"made by porism --syntax=textmate\",\n  \"patterns\": [\n"
	      "    {\"name\": \"comment.line.number-sign.porism\", \"match\": \"#.*$\"},\n"
	      "    {\"match\": \"\\\\b(fn|op)\\\\s+([\\\\p{L}_][\\\\p{L}\\\\p{N}_]*)\",\n"
	      "     \"captures\": {\"1\": {\"name\": \"keyword.control.porism\"},"
	      " \"2\": {\"name\": \"entity.name.function.porism\"}}},\n"
	      "    {\"name\": \"entity.name.tag.porism\","
	      " \"match\": \"^[\\\\p{L}_][\\\\p{L}\\\\p{N}_]*(?=(\\\\[[^\\\\]]*\\\\])?:)\"},\n"
	      "    {\"name\": \"constant.numeric.porism\", \"match\":"
	      " \"\\\\b0x[0-9a-fA-F]+(\\\\.[0-9a-fA-F]+)?(p[+-]?\\\\d+)?\\\\b|"
	      "\\\\b\\\\d[0-9_]*(\\\\.\\\\d[0-9_]*)?(e[+-]?\\\\d+)?i?\\\\b\"},\n"
	      "    {\"name\": \"variable.other.member.porism\","
	      " \"match\": \"(?<!\\\\.)\\\\.[\\\\p{L}_][\\\\p{L}\\\\p{N}_]*\"},\n"
	      "    {\"name\": \"keyword.control.porism\", \"match\": \"\\\\b(",
		to);
	put_words(to, POR_WORD_KEYWORD, "|");
	fputs(")\\\\b\"},\n    {\"name\": \"support.type.porism\", \"match\": \"\\\\b(", to);
	put_words(to, -1, "|");
	fputs(")\\\\b\"},\n    {\"name\": \"constant.language.porism\","
	      " \"match\": \"\\\\b(true|false|pi|inf|nan)\\\\b\"},\n"
	      "    {\"name\": \"support.function.porism\", \"match\": \"\\\\b(",
		to);
	put_words(to, POR_WORD_BUILTIN, "|");
	fputs(")\\\\b\"},\n    {\"name\": \"keyword.operator.porism\", \"match\": \"", to);
	put_signs(to, "*+^.|?$", "\\\\", "|");
	fputs("\"}\n  ]\n}\n", to);
}

bool syntax_print(FILE *to, const char *kind)
{
	if (!strcmp(kind, "vim"))
		vim(to);
	else if (!strcmp(kind, "ftdetect"))
		ftdetect(to);
	else if (!strcmp(kind, "textmate"))
		textmate(to);
	else
		return false;
	return true;
}
