"""The site: every executed notebook, figure and claim as web pages that need neither network nor Python.

`unison.site.build.build_site` writes it. Each page is one file: style, pictures, data and script are inside,
and its content security policy forbids it to fetch anything. It reads without script.

::

    build_site(Layout.committed(), paths.BUILD / "site")
"""
