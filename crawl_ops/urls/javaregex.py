r"""Nutch's rule files are written in Java's regular expressions: here they become Python's.

The two agree but for: flags in the middle (`a(?i)b`), `\p{...}`, `\Q...\E`, named groups, `\z`,
nested classes. Java's `\w`, `\d`, `\b` and `(?i)` know ASCII only; so do the compiled ones.
"""

import re
import warnings

_PROPERTIES = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~",
    "Graph": "!-~",
    "Print": " -~",
    "Blank": r" \t",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "Space": r"\t-\r ",
    "ASCII": r"\x00-\x7f",
}
_ESCAPES = {
    "z": r"\Z",
    "Z": r"(?=\n?\Z)",
    "h": r"[ \t\xa0]",
    "e": r"\x1b",
    "R": r"(?:\r\n|[\n-\r])",
}
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_NAMED = re.compile(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>")
_CLASS_LITERALS = frozenset("[|~&")


def compile_java(expression: str) -> re.Pattern[str]:
    """The expression as a Python pattern. Raises ValueError (one line) when it cannot be one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(_Translation(expression).text(), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{expression!r} is no regular expression: {error}") from None


class _Translation:
    """One pass over an expression, with the flags that are open in each group."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._out: list[str] = []
        self._open: list[list[str]] = [[]]

    def text(self) -> str:
        while self._at < len(self._source):
            self._step(self._source[self._at])
        self._out.append(")" * len(self._open[-1]))
        return "".join(self._out)

    def _step(self, char: str) -> None:
        if char == "\\":
            self._out.append(self._escape(in_class=False))
        elif char == "[":
            self._out.append(self._class())
        elif char == "(":
            self._group()
        elif char == "|":
            flags = self._open[-1]
            self._emit(")" * len(flags) + "|" + "".join(flags))
        elif char == ")" and len(self._open) > 1:
            self._emit(")" * len(self._open.pop()) + ")")
        else:
            self._emit(char)

    def _emit(self, text: str, taken: int = 1) -> None:
        self._out.append(text)
        self._at += taken

    def _group(self) -> None:
        flags = _FLAGS.match(self._source, self._at)
        named = _NAMED.match(self._source, self._at)
        if flags and (flags[1] or flags[2]):
            opening = _flag_group(flags[1], flags[2] or "")
            if flags[3] == ")":
                self._open[-1].append(opening)
            else:
                self._open.append([])
            self._emit(opening, len(flags[0]))
            return
        self._open.append([])
        if named:
            self._emit(f"(?P<{named[1]}>", len(named[0]))
        else:
            self._emit("(")

    def _escape(self, *, in_class: bool) -> str:
        source, at = self._source, self._at
        char = source[at + 1 : at + 2]
        if char == "Q":
            end = source.find("\\E", at + 2)
            end = len(source) if end < 0 else end
            self._at = end + 2
            return re.escape(source[at + 2 : end])
        if char in ("p", "P"):
            return self._property(char == "P", in_class)
        if char == "k" and (name := re.compile(r"\\k<(\w+)>").match(source, at)):
            self._at = name.end()
            return f"(?P={name[1]})"
        if char == "x" and (code := re.compile(r"\\x\{([0-9a-fA-F]{1,6})\}").match(source, at)):
            self._at = code.end()
            return re.escape(chr(int(code[1], 16)))
        self._at = at + 2
        if in_class:
            return r" \t\xa0" if char == "h" else "\\" + char
        return _ESCAPES.get(char, "\\" + char)

    def _property(self, negated: bool, in_class: bool) -> str:
        found = re.compile(r"\\[pP](?:\{(?:Is)?(\w+)\}|(\w))").match(self._source, self._at)
        name = (found[1] or found[2]) if found else ""
        chars = _PROPERTIES.get(name, "")
        if found is None or not chars or (negated and in_class):
            raise re.error(f"\\p{{{name}}} is not supported here")
        self._at = found.end()
        if in_class:
            return chars
        return f"[^{chars}]" if negated else f"[{chars}]"

    def _class(self) -> str:
        """A class from its `[` on; an inner class that is not negated is merged into it."""
        source = self._source
        self._at += 1
        out = ["["]
        if source.startswith("^", self._at):
            out.append("^")
            self._at += 1
        depth, empty = 1, True
        while self._at < len(source):
            char = source[self._at]
            if char == "]" and not empty:
                self._at += 1
                depth -= 1
                if not depth:
                    return "".join([*out, "]"])
                continue
            depth += self._class_item(char, out, empty)
            empty = False
        raise re.error("unterminated character class")

    def _class_item(self, char: str, out: list[str], first: bool) -> int:
        source = self._source
        if char == "\\":
            out.append(self._escape(in_class=True))
            return 0
        if char == "[":
            if source.startswith("[^", self._at):
                raise re.error("a negated class inside a class is not supported")
            self._at += 1
            return 1
        if source.startswith("&&", self._at):
            raise re.error("&& inside a class is not supported")
        self._at += 1
        out.append("\\" + char if char in _CLASS_LITERALS or (first and char == "]") else char)
        return 0


def _flag_group(on: str, off: str) -> str:
    # u, d and U choose between ASCII and Unicode in Java, which is settled here.
    on = "".join(flag for flag in on if flag in "imsx")
    off = "".join(flag for flag in off if flag in "imsx")
    return f"(?{on}-{off}:" if off else f"(?{on}:"


def substitution(text: str, groups: int) -> str:
    r"""Java's replacement text (`$1`, `${name}`, `\?`) as Python's. Raises ValueError."""
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            out.append(_literal(text[at + 1 : at + 2]))
            at += 2
        elif char == "$":
            at, piece = _reference(text, at, groups)
            out.append(piece)
        else:
            out.append(_literal(char))
            at += 1
    return "".join(out)


def _literal(char: str) -> str:
    return "\\\\" if char == "\\" else char


def _reference(text: str, at: int, groups: int) -> tuple[int, str]:
    named = re.compile(r"\$\{(\w+)\}").match(text, at)
    if named:
        return named.end(), f"\\g<{named[1]}>"
    digits = re.compile(r"[0-9]+").match(text, at + 1)
    if digits is None:
        raise ValueError(f"substitution {text!r}: $ names no group (write \\$ for a dollar)")
    # Java takes as many digits as still name a group.
    used = digits[0]
    while len(used) > 1 and int(used) > groups:
        used = used[:-1]
    if int(used) > groups:
        raise ValueError(f"substitution {text!r}: there is no group {used}")
    return at + 1 + len(used), f"\\g<{used}>"
