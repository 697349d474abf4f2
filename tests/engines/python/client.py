"""The client of clients/python, from the checkout: nothing has to be installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients/python/src"))

from lozenge_client import Refused, serve
