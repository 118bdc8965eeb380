"""The door: the one MCP endpoint of this process, as config/asgi.py hands requests to it."""

from gateway.endpoint import Endpoint
from gateway.protocol.options import EngineOptions
from gateway.server import AtriumServer

endpoint = Endpoint(AtriumServer(), EngineOptions.of_settings())
serves = endpoint.serves
