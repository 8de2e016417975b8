"""The same jobs on several processes or machines: one small interface (`_util/jobs.py`), a local pool, and Ray."""
