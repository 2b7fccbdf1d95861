"""What check_floors.py sees of C: its tokens, conditionals within conditionals, statements that are several, functions
and their parameters, the types that a file defines, the files that its comments name."""
import re

TOKEN = re.compile(r'''(?P<skip>\s+|/\*.*?\*/|//[^\n]*|(?<=\n)[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<word>[A-Za-z_]\w*)
    |(?P<sign>->|\+\+|--|[-+*/%&|^=!<>]=|&&|\|\||.)''', re.S | re.X)
OPEN, CLOSE = "([{", ")]}"
BEFORE_BLOCK = {")", "else", "do", ";", "{", "}", ":"}
CONTROL = {"if", "for", "while", "switch"}
TYPES = {"const", "static", "struct", "enum", "union", "typedef", "extern", "unsigned", "int", "char", "bool", "double",
         "float", "long", "size_t", "void", "_Alignas"}


def tokens(text):
    """(kind, token, line), without comments and directives."""
    line, found = 1, []
    for m in TOKEN.finditer("\n" + text):
        if m.lastgroup != "skip":
            found.append((m.lastgroup, m.group(), line - 1))
        line += m.group().count("\n")
    return found


def nested_conditionals(code):
    """Lines of a ? : that stands in another one."""
    depth = [0]                                  # conditionals that are open, by bracket
    around = [0]                                 # and in the brackets around it, up to a brace
    for _, token, line in code:
        if token in OPEN:
            around.append(0 if token == "{" else around[-1] + depth[-1])
            depth.append(0)
        elif token in CLOSE and len(depth) > 1:
            depth.pop()
            around.pop()
        elif token in ";,":
            depth[-1] = 0
        elif token == "?":
            if depth[-1] + around[-1]:
                yield line
            depth[-1] += 1


def is_declaration(statement):
    kinds, words = [k for k, _, _ in statement], [t for _, t, _ in statement]
    if words[0] == "return":
        return False
    if words[0] in TYPES or words[0].endswith("_t") or kinds[:2] == ["word", "word"] or words[1:3] == ["*", "*"]:
        return True
    return len(words) > 3 and kinds[0] == kinds[2] == "word" and words[1] == "*" and words[3] in ("=", ",", "[]")


def without_control(statement):
    """What an if, for, while, else, do, case or label governs."""
    words = [t for _, t, _ in statement]
    at = 0
    while at < len(words):
        if words[at] in CONTROL and words[at + 1:at + 2] == ["()"]:
            at += 2
        elif words[at] in ("else", "do"):
            at += 1
        elif words[at] in ("case", "default") and ":" in words[at:]:
            at = words.index(":", at) + 1
        elif words[at + 1:at + 2] == [":"]:
            at += 2
        else:
            break
    return statement[at:]


def comma_statements(code):
    """Lines of statements that are several expressions: a = 1, b = 2;"""
    stack = []                                   # of brackets: is it a block, and the statement around it
    statement = []                               # at this level; a pair of brackets is one token
    before = ";"
    for kind, token, line in code:
        if token in OPEN:
            block = token == "{" and before in BEFORE_BLOCK and all(b for b, _ in stack)
            stack.append((block, statement))
            statement = []
        elif token in CLOSE and stack:
            block, statement = stack.pop()
            if block:
                statement = []
            else:
                statement.append(("sign", {")": "()", "]": "[]", "}": "{}"}[token], line))
        elif token == ";" and stack and stack[-1][0]:
            rest = without_control(statement)
            if any(t == "," for _, t, _ in rest) and not is_declaration(rest):
                yield line
            statement = []
        elif token == ";":
            statement = []
        else:
            statement.append((kind, token, line))
        before = token


def types(code):
    """Names of the structures, unions and enumerations that are defined."""
    found, stack = set(), []
    for at, (_, token, _) in enumerate(code):
        if token == "{":
            words = [t for _, t, _ in code[max(at - 3, 0):at]]
            kind = next((k for k in (1, 2) if len(words) >= k and words[-k] in ("struct", "union", "enum")), 0)
            if kind == 2 and not stack:
                found.add(words[-1])
            stack.append(kind and not stack and "typedef" in (words[-kind - 1:-kind] or [""]))
        elif token == "}" and stack and stack.pop() and code[at + 1][0] == "word":
            found.add(code[at + 1][1])
    return found


def functions(code):
    """(name, parameters, line) of each function that is defined; of N(name)(...) the name inside."""
    depth, opened = 0, []                        # braces; places of round brackets
    for at, (_, token, line) in enumerate(code):
        if token in "{}":
            depth += 1 if token == "{" else -1
        elif token == "(":
            opened.append(at)
        elif token == ")" and opened:
            first = opened.pop()
            if depth == 0 and not opened and first and [t for _, t, _ in code[at + 1:at + 2]] == ["{"]:
                name = code[first - 2 if code[first - 1][1] == ")" else first - 1]
                yield name[1], parameters([t for _, t, _ in code[first + 1:at]]), name[2]


def parameters(words):
    level = [(w in OPEN) - (w in CLOSE) for w in words]
    commas = sum(w == "," and sum(level[:i]) == 0 for i, w in enumerate(words))
    return commas + 1 if words and words != ["void"] else 0


def named_files(text):
    """(line, name) of each .c and .h file that a comment names."""
    for comment in re.finditer(r"/\*.*?\*/", text, re.S):
        for m in re.finditer(r"(?<![%\w*])[a-z]\w*\.[ch]\b", comment.group()):
            yield text.count("\n", 0, comment.start() + m.start()) + 1, m.group()
