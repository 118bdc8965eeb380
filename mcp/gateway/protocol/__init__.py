"""Both generations of the MCP wire protocol over HTTP; knows no model and no tool."""
