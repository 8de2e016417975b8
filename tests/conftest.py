"""What all tests share: quick, repeatable Hypothesis runs, and a home of their own."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import HealthCheck, settings

# No test asks a model hub: names that are no folder are absent.
os.environ["HF_HUB_OFFLINE"] = "1"

# No test, and nothing that a test starts, touches the user's own history, test sets and settings.
_HOME = tempfile.mkdtemp(prefix="bitmeter-tests-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
for _name in ("BITMETER_DATA", "BITMETER_HISTORY"):
    os.environ.pop(_name, None)
for _name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = os.path.join(_HOME, _name)

# A shell that runs the tests in the background has them, and what they start, ignore Ctrl-C; some of them test it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("bitmeter", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bitmeter")
