"""nginx's configuration for the real web."""

import os
from pathlib import Path

from nephila_testkit.realweb.sites import SITES, Site, robots_text

# What access_log.py reads. $msec is when the answer's last byte was given to the network, and
# $request_time how long before that the request's first byte had come, both to the millisecond.
_FORMAT = (
    '{"ended":$msec,"took":$request_time,"connection":$connection,"status":$status,'
    '"bytes":$body_bytes_sent,"host":"$http_host","target":"$request_uri",'
    '"agent":"$http_user_agent","completion":"$request_completion"}'
)
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def configuration(directory: Path, port: int) -> str:
    """The whole nginx.conf; logs, pid and temporary files lie below `directory`."""
    user = "user root;" if os.geteuid() == 0 else ""
    temporary = "\n".join(f"  {kind}_temp_path {directory}/tmp/{kind};" for kind in _TEMPORARY)
    servers = "\n".join(_server(site, port) for site in SITES)
    return f"""\
pid {directory}/nginx.pid;
error_log {directory}/logs/error.log;
worker_processes 1;
daemon on;
{user}
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  log_format evidence escape=json '{_FORMAT}';
  access_log {directory}/logs/access.log evidence;
  geo $dollar {{ default "$"; }}
  sendfile on;
  keepalive_timeout 30;
  gzip_comp_level 1;
  gzip_types text/plain text/css application/javascript;
{temporary}
{servers}
}}
"""


def _server(site: Site, port: int) -> str:
    rules = robots_text(site).replace("\n", "\\n")
    # nginx has no escape for a dollar: `geo` makes a variable that holds one.
    rules = rules.replace("$", "${dollar}")
    gzip = "on" if site.gzip else "off"
    return f"""\
  server {{
    listen {site.address}:{port};
    server_name {site.name} www.{site.name};
    root {site.root};
    index index.html;
    gzip {gzip};
    location = /robots.txt {{
      default_type text/plain;
      return 200 "{rules}";
    }}
  }}"""
