"""The one table writer: tables as CSV, TSV, JSON, JSON lines, Parquet, Markdown and LaTeX."""
