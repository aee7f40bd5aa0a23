"""Tables: leading bytes and name suffixes of the media types that a crawl meets."""

import re

CONTROL_BYTES = bytes(set(range(0x20)) - set(b"\t\n\f\r\x1b"))
BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
BEFORE_MARKUP = re.compile(rb"(?:\s|<!--.*?-->|<\?(?!xml)[^>]*>)*", re.DOTALL)
XML_DECLARATION = re.compile(rb"<\?xml[^>]*>")
DOCTYPE = re.compile(rb"<!doctype[^>\[]*(?:\[.*?\])?[^>]*>", re.DOTALL | re.IGNORECASE)
HTML = re.compile(
    rb"<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p"
    rb"|meta|link|ul|frameset|center|form|img|span|section|article|main)(?=[\s>/]|$)",
    re.IGNORECASE,
)
MIMETYPE = re.compile(  # ODF 1.3 part 2 §3.3, EPUB OCF §4.3: stored, first, without extra field
    rb"PK\x03\x04.{22}\x08\x00\x00\x00mimetype(application/[a-z0-9.+-]{1,80})", re.DOTALL
)
ROOT = re.compile(rb"<(?:[\w.\-]+:)?([a-z0-9_.\-]+)", re.IGNORECASE)
XML_ROOTS = {
    b"rss": "application/rss+xml",
    b"rdf": "application/rdf+xml",
    b"feed": "application/atom+xml",
    b"svg": "image/svg+xml",
    b"html": "application/xhtml+xml",
    b"urlset": "application/xml",
    b"sitemapindex": "application/xml",
}

SIGNATURES: tuple[tuple[bytes, int, str], ...] = (
    (b"%PDF-", 0, "application/pdf"),
    (b"%!PS-Adobe-", 0, "application/postscript"),
    (b"PK\x03\x04", 0, "application/zip"),
    (b"PK\x05\x06", 0, "application/zip"),
    (b"\x1f\x8b\x08", 0, "application/gzip"),
    (b"BZh", 0, "application/x-bzip2"),
    (b"\xfd7zXZ\x00", 0, "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", 0, "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", 0, "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", 0, "application/zstd"),
    (b"ustar", 257, "application/x-tar"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "application/x-ole-storage"),
    (b"{\\rtf", 0, "application/rtf"),
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"II*\x00", 0, "image/tiff"),
    (b"MM\x00*", 0, "image/tiff"),
    (b"\x00\x00\x01\x00", 0, "image/vnd.microsoft.icon"),
    (b"8BPS", 0, "image/vnd.adobe.photoshop"),
    (b"WEBP", 8, "image/webp"),
    (b"WAVE", 8, "audio/x-wav"),
    (b"AVI ", 8, "video/x-msvideo"),
    (b"ftypavif", 4, "image/avif"),
    (b"ftyphei", 4, "image/heic"),
    (b"ftypM4A", 4, "audio/mp4"),
    (b"ftyp", 4, "video/mp4"),
    (b"\x1aE\xdf\xa3", 0, "video/webm"),
    (b"OggS", 0, "application/ogg"),
    (b"fLaC", 0, "audio/flac"),
    (b"ID3", 0, "audio/mpeg"),
    (b"FLV\x01", 0, "video/x-flv"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", 0, "video/x-ms-asf"),
    (b"wOFF", 0, "font/woff"),
    (b"wOF2", 0, "font/woff2"),
    (b"OTTO\x00", 0, "font/otf"),
    (b"\x00\x01\x00\x00\x00", 0, "font/ttf"),
    (b"\x00asm", 0, "application/wasm"),
    (b"\x7fELF", 0, "application/x-elf"),
    (b"MZ\x90\x00", 0, "application/vnd.microsoft.portable-executable"),
    (b"SQLite format 3\x00", 0, "application/vnd.sqlite3"),
    (b"CWS", 0, "application/x-shockwave-flash"),
    (b"FWS", 0, "application/x-shockwave-flash"),
)

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."

SUFFIXES: dict[str, str] = {
    **dict.fromkeys(("html", "htm", "shtml", "phtml", "asp", "aspx", "jsp", "php"), "text/html"),
    **dict.fromkeys(("xhtml", "xht"), "application/xhtml+xml"),
    **dict.fromkeys(("txt", "text", "log"), "text/plain"),
    **dict.fromkeys(("xml", "xsl"), "application/xml"),
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "rdf": "application/rdf+xml",
    "css": "text/css",
    **dict.fromkeys(("js", "mjs"), "text/javascript"),
    "json": "application/json",
    "csv": "text/csv",
    "md": "text/markdown",
    "ics": "text/calendar",
    "pdf": "application/pdf",
    "ps": "application/postscript",
    "rtf": "application/rtf",
    "zip": "application/zip",
    **dict.fromkeys(("gz", "tgz"), "application/gzip"),
    "bz2": "application/x-bzip2",
    "xz": "application/x-xz",
    "7z": "application/x-7z-compressed",
    "rar": "application/vnd.rar",
    "tar": "application/x-tar",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "docx": _OOXML + "wordprocessingml.document",
    "xlsx": _OOXML + "spreadsheetml.sheet",
    "pptx": _OOXML + "presentationml.presentation",
    "odt": _ODF + "text",
    "ods": _ODF + "spreadsheet",
    "odp": _ODF + "presentation",
    "epub": "application/epub+zip",
    "jar": "application/java-archive",
    "apk": "application/vnd.android.package-archive",
    "png": "image/png",
    "gif": "image/gif",
    **dict.fromkeys(("jpg", "jpeg", "jpe"), "image/jpeg"),
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
    "ico": "image/vnd.microsoft.icon",
    **dict.fromkeys(("tif", "tiff"), "image/tiff"),
    "bmp": "image/bmp",
    "mp3": "audio/mpeg",
    **dict.fromkeys(("m4a",), "audio/mp4"),
    "wav": "audio/x-wav",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    **dict.fromkeys(("mp4", "m4v"), "video/mp4"),
    "webm": "video/webm",
    "avi": "video/x-msvideo",
    **dict.fromkeys(("mov", "qt"), "video/quicktime"),
    "wmv": "video/x-ms-asf",
    "flv": "video/x-flv",
    "swf": "application/x-shockwave-flash",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
    "exe": "application/vnd.microsoft.portable-executable",
}

# Types that are a kind of another by their bytes; also all types whose content cannot be text.
CONTAINER_OF: dict[str, str] = {
    **{media_type: media_type for _, _, media_type in SIGNATURES if media_type[:4] == "appl"},
    **dict.fromkeys(
        (SUFFIXES[s] for s in ("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "jar", "apk")),
        "application/zip",
    ),
    **dict.fromkeys((SUFFIXES[s] for s in ("doc", "xls", "ppt")), "application/x-ole-storage"),
    "application/vnd.visio": "application/x-ole-storage",
    "application/x-zip-compressed": "application/zip",
    "application/x-gzip": "application/gzip",
    "image/x-icon": "image/vnd.microsoft.icon",
    "image/pjpeg": "image/jpeg",
    "audio/wav": "audio/x-wav",
    "audio/mp3": "audio/mpeg",
    "audio/ogg": "application/ogg",
    "video/ogg": "application/ogg",
    "video/quicktime": "video/mp4",
    "audio/webm": "video/webm",
    "video/x-matroska": "video/webm",
    "video/x-ms-wmv": "video/x-ms-asf",
    "audio/x-ms-wma": "video/x-ms-asf",
}


def signature(head: bytes) -> str | None:
    """The type whose leading bytes these are, if it is one that is not text."""
    for magic, at, media_type in _BY_FIRST_BYTE[head[0]] if head else ():
        if head.startswith(magic, at):
            return _in_zip(head) if media_type == "application/zip" else media_type
    return None


_BY_FIRST_BYTE = tuple(
    tuple(entry for entry in SIGNATURES if entry[1] or entry[0][0] == byte) for byte in range(256)
)


def _in_zip(head: bytes) -> str:
    """What a zip is a form of: by its first member `mimetype`, or by the folders of OOXML."""
    named = MIMETYPE.match(head)
    if named is not None:
        media_type = named.group(1).decode("ascii")
        if CONTAINER_OF.get(media_type) == "application/zip":
            return media_type
    if b"[Content_Types].xml" in head or b"_rels/.rels" in head:
        for folder, suffix in ((b"word/", "docx"), (b"xl/", "xlsx"), (b"ppt/", "pptx")):
            if folder in head:
                return SUFFIXES[suffix]
    return "application/zip"


def looks_binary(head: bytes) -> bool:
    """Whether a byte is there that no text has (WHATWG MIME Sniffing §7.1, binary data byte)."""
    return len(head.translate(None, CONTROL_BYTES)) < len(head) and not head.startswith(BOMS)


def text_type(head: bytes) -> str:
    """text/html, an XML type, or text/plain, by the first tag."""
    if head.startswith(BOMS[1:]):
        head = head.replace(b"\x00", b"")
    for bom in BOMS:
        head = head.removeprefix(bom)
    head = head[_end(BEFORE_MARKUP, head) :]
    declaration = XML_DECLARATION.match(head)
    if declaration is None and HTML.match(head):
        return "text/html"
    if declaration is not None:
        head = head[declaration.end() :]
        head = head[_end(BEFORE_MARKUP, head) :]
    doctype = DOCTYPE.match(head)
    if doctype is not None:
        head = head[doctype.end() :]
        head = head[_end(BEFORE_MARKUP, head) :]
    root = ROOT.match(head)
    if root is None:
        return "application/xml" if declaration is not None else "text/plain"
    named = XML_ROOTS.get(root.group(1).lower())
    if named is not None:
        return named
    return "application/xml" if declaration is not None else "text/plain"


def _end(pattern: re.Pattern[bytes], head: bytes) -> int:
    match = pattern.match(head)
    return match.end() if match is not None else 0
