"""The integer model of the IP: what the Verilog must do, in plain Python."""

from unison.rtl.model.dual import DualEngine
from unison.rtl.model.engine import Engine
from unison.rtl.model.events import Event, Response
from unison.rtl.model.ip import IpModel, engine_for
from unison.rtl.model.settings import Settings

__all__ = ["DualEngine", "Engine", "Event", "IpModel", "Response", "Settings", "engine_for"]
