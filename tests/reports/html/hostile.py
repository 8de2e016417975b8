"""A text that attacks a page: markup, comments, separators of lines, control characters, directions of writing."""

from __future__ import annotations

HOSTILE = (
    "</script><script>document.title='broken'</script>\n<!-- <script> --> ]]> &lt;&amp; \"quotes\" 'and' `ticks`\n"
    "separators\u2028and\u2029more\x00\x01\x07\x1b[31m\x7f\x85 of control\r\n"
    "right to left: שלום עולם and العربية, override \u202egnp.exe\u202c isolate \u2066x\u2069\n"
    "astral 𝒜𝓑 😀 combining e\u0301 zero\u200bwidth ${injected} {{data}} \\u003c\n"
    "<img src=x onerror=document.title='broken'> <svg/onload=document.title='broken'>\n"
).encode() + b"not UTF-8: \xff\xfe\xc3( \xe2\x82 end\n"
