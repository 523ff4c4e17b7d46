"""What a browser is told that comes without the key: the same refusal, as a page to read."""

from __future__ import annotations

from html import escape

from starlette.types import Scope

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>A key is needed</title>
{style}</head>
<body>
<main>
<h1>A key is needed here</h1>
<p>{message}</p>
{homes}</main>
</body>
</html>
"""
_STYLE = '<link rel="stylesheet" href="/static/page.css">\n'
_HOMES = """<p>Programs send it so with each call. In a browser, these two ask for it:</p>
<ul>
<li><a href="/build">the builder&rsquo;s home</a>, for catalogues</li>
<li><a href="/dashboard">the dashboard</a>, for how the service is doing</li>
</ul>
<p class="small">The key was made by <code>conlinucb keys make</code>, or is in the variable
<code>CONLINUCB_KEY</code> of whoever started the service.</p>
"""
"""What the documents that are open say, too: nothing of it is told where they are not."""


def key_page(message: str, *, homes: bool) -> bytes:
    """The page; with ``homes``, where the key is asked for."""
    style, more = (_STYLE, _HOMES) if homes else ("", "")
    return _PAGE.format(style=style, message=escape(message), homes=more).encode()


def wants_page(scope: Scope) -> bool:
    """Whether whoever asks would rather read a page than JSON."""
    accepts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"accept"]
    return scope["method"] in ("GET", "HEAD") and prefers_html(",".join(accepts))


def prefers_html(accepts: str) -> bool:
    """Whether text/html is named, and not behind JSON.

    >>> prefers_html("text/html,application/xhtml+xml,*/*;q=0.8"), prefers_html("*/*")
    (True, False)
    >>> prefers_html("application/json, text/html;q=0.9"), prefers_html("text/html;q=none")
    (False, False)
    """
    weights = dict(map(_weight, accepts.lower().split(",")))
    return weights.get("text/html", 0.0) > weights.get("application/json", 0.0)


def _weight(accepted: str) -> tuple[str, float]:
    kind, *more = (each.strip() for each in accepted.split(";"))
    told = next((each[2:] for each in more if each.startswith("q=")), "1")
    try:
        return kind, float(told)
    except ValueError:
        return kind, 0.0
