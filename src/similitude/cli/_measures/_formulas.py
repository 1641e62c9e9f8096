"""Formulas of docstrings as plain text: LaTeX commands become Unicode characters."""

import re
import unicodedata

_SYMBOLS = {
    **{"sum": "Σ", "prod": "Π", "in": "∈", "cdot": "·", "times": "×", "circ": "∘"},
    **{"langle": "⟨", "rangle": "⟩", "lVert": "‖", "rVert": "‖", "ell": "ℓ"},
    **{"ne": "≠", "neq": "≠", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥"},
    **{"cup": "∪", "cap": "∩", "bigcup": "⋃", "to": "→", "sim": "~", "infty": "∞"},
    **{"ldots": "...", "dots": "...", "mid": "|", "top": "'", "approx": "≈"},
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε"},
    **{"theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ"},
    **{"sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ", "omega": "ω"},
    **{"Gamma": "Γ", "Delta": "Δ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ"},
    **{"qquad": "   ", "quad": "  ", "|": "‖", "{": "{", "}": "}", "\\": ";  "},
    **{",": " ", ";": " ", ":": " ", "!": "", " ": " "},
}
_SIZES = {"big", "Big", "bigl", "bigr", "Bigl", "Bigr", "left", "right", "textstyle"}
_FONTS = {"mathrm", "text", "operatorname", "mathbf", "mathcal", "mathbb"}
_FUNCTIONS = {"log", "exp", "cos", "arccos"}
_AFTER_FRACTION = {*"},.;=+-)]", r"\qquad", r"\big", r"\Big", ""}
_ACCENTS = {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304"}
_DIGITS = {
    "^": str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"),
    "_": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"),
}
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\s+|.", re.DOTALL)


def plain_formula(latex: str) -> str:
    r"""A formula as a line of text.

    >>> plain_formula(r"\frac{1}{n} \sum_{i=1}^n |\tilde x_i|^2")
    '1/n Σ_(i=1)^n |x̃_i|²'
    """
    text = _text(_TOKEN.findall(latex)[::-1])
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"(?<=[(\[⟨]) | (?=[)\]⟩,.;])", "", text)
    return unicodedata.normalize("NFC", text).strip()


def _text(stack: list[str]) -> str:
    """The text until a closing brace; `stack` has the next token at its end."""
    parts: list[str] = []
    while stack:
        if stack[-1] == "}":
            stack.pop()
            break
        parts.append(_next(stack))
    return "".join(parts)


def _next(stack: list[str]) -> str:
    """The text of the next token, with its arguments."""
    token = stack.pop()
    if token == "{":
        return _text(stack)
    if token in _DIGITS:
        return _script(token, _argument(stack))
    if not token.startswith("\\"):
        return token
    name = token[1:]
    if name in {"frac", "tfrac"}:
        over, under = _argument(stack), _argument(stack)
        over, under = _grouped(over), _grouped(under)
        if f"{over}{under}".isalnum():
            return f"{over}/{under}"
        alone = _following(stack) in _AFTER_FRACTION
        return f"{over} / {under}" if alone else f"({over} / {under})"
    if name == "sqrt":
        return f"√{_grouped(_argument(stack))}"
    if name in _ACCENTS:
        return f"{_argument(stack)}{_ACCENTS[name]}"
    if name in _FUNCTIONS and _following(stack) in {r"\frac", r"\tfrac"}:
        return f"{name} ({_argument(stack)})"
    if name in _SIZES:
        return ""
    if name in _FONTS:
        return _argument(stack)
    return _SYMBOLS.get(name, name)


def _following(stack: list[str]) -> str:
    """The next token that is not a space; empty at the end."""
    return next((token for token in reversed(stack) if not token.isspace()), "")


def _argument(stack: list[str]) -> str:
    while stack and stack[-1].isspace():
        stack.pop()
    return _next(stack) if stack else ""


def _grouped(text: str) -> str:
    """Parentheses around more than one word, root or function of an argument."""
    text = text.strip()
    if re.fullmatch(r"[\w.'\u0300-\u036f]+", text) or _is_call(text):
        return text
    return f"({text})"


def _is_call(text: str) -> bool:
    """Whether the text is a name and one pair of parentheses: f(x), √(a + b)."""
    name, _, rest = text.partition("(")
    if not re.fullmatch(r"√|√?\w\w+", name) or not rest.endswith(")"):
        return False
    depth = 1
    for place, character in enumerate(rest, start=1):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(rest)
    return False


def _script(mark: str, text: str) -> str:
    if text.isdigit():
        return text.translate(_DIGITS[mark])
    text = text.strip()
    simple = text in {"*", "'"} or re.fullmatch(r"[\w\u0300-\u036f]+", text)
    return f"{mark}{text}" if simple else f"{mark}({text})"
