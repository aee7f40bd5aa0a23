"""What every answer of the pages says to a browser."""

from collections.abc import Awaitable, Callable

from fastapi import Request, Response

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""Nothing from elsewhere, and nothing that is written into the page itself."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


async def with_headers(
    request: Request, answer: Callable[[Request], Awaitable[Response]]
) -> Response:
    """The answer, with HEADERS; what is about a crawl is kept by nobody on the way."""
    response = await answer(request)
    response.headers.update(HEADERS)
    if "/static/" not in request.url.path:
        response.headers["Cache-Control"] = "no-store"
    return response
