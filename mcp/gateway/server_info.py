"""Who this server says it is."""

from gateway.protocol.versions import SUPPORTED

NAME = "atrium"
TITLE = "Atrium"
VERSION = "1.0.0"
PROTOCOL_VERSIONS = SUPPORTED
INSTRUCTIONS = (
    "Call whoami first: it tells who you act for and which tools you reach. Then get_context returns what the "
    "organisation wants you to know. Tool names are namespace_verb, such as agent_list."
)
