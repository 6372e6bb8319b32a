"""Finds a wheel the way pip would, by pip's configuration, on a machine that has no pip. Standard library only."""

import base64
import configparser
import os
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

TIMEOUT_SECONDS = 15.0


def configuration_files() -> Iterator[Path]:
    """Where pip looks, the later ones win."""
    chosen = os.environ.get("PIP_CONFIG_FILE")
    if chosen == os.devnull:
        return
    home = Path(os.environ.get("HOME", "/"))
    for folder in os.environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":"):
        yield Path(folder) / "pip" / "pip.conf"
    yield Path("/etc/pip.conf")
    yield home / ".pip" / "pip.conf"
    yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip" / "pip.conf"
    yield Path(sys.prefix) / "pip.conf"
    if chosen:
        yield Path(chosen)


def settings() -> dict[str, str]:
    """pip's settings for an installation: its files, then its environment variables."""
    found: dict[str, str] = {}
    for path in configuration_files():
        parser = configparser.RawConfigParser()
        parser.read(path, "utf-8")
        for section in ("global", "install"):
            if parser.has_section(section):
                found.update({key.replace("_", "-"): value for key, value in parser.items(section)})
    for name, value in os.environ.items():
        if name.startswith("PIP_") and value:
            found[name.removeprefix("PIP_").lower().replace("_", "-")] = value
    return found


class Links(HTMLParser):
    """The addresses in a page of an index."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for key, value in attrs if key == "href" and value]


class Index:
    """The package indexes and folders that the settings name."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        offline = settings.get("no-index", "").lower() in ("1", "true", "yes", "on")
        keys = [] if offline else ["index-url", "extra-index-url"]
        self.addresses = [address for key in keys for address in settings.get(key, "").split()]
        self.folders = settings.get("find-links", "").split()
        self.timeout_seconds = float(settings.get("timeout") or settings.get("default-timeout") or TIMEOUT_SECONDS)
        self.trusted = settings.get("trusted-host", "").split()
        self.certificates = settings.get("cert")
        self.proxy = settings.get("proxy")

    def find(self, project: str, file_name: str) -> bytes | None:
        """The content of a file of a project, from the first place that has it."""
        for page in [*self.folders, *(f"{address.rstrip('/')}/{project}/" for address in self.addresses)]:
            address = self.link(page, file_name)
            content = self.read(address) if address else None
            if content is not None:
                return content
        return None

    def link(self, page: str, file_name: str) -> str | None:
        folder = Path(urllib.request.url2pathname(page.removeprefix("file://")))
        if "://" not in page or page.startswith("file://"):
            if (folder / file_name).is_file():
                return (folder / file_name).resolve().as_uri()
            page = (folder / "index.html" if folder.is_dir() else folder).resolve().as_uri()
        links = Links()
        links.feed((self.read(page) or b"").decode("utf-8", "replace"))
        for link in links.found:
            address = urllib.parse.urljoin(page, link)
            if urllib.parse.unquote(urllib.parse.urlsplit(address).path.rpartition("/")[2]) == file_name:
                return address
        return None

    def read(self, address: str) -> bytes | None:
        parts = urllib.parse.urlsplit(address)
        host = parts.netloc.rpartition("@")[2]
        bare = urllib.parse.urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
        request = urllib.request.Request(bare, headers={"Accept": "text/html, application/octet-stream"})
        if parts.username is not None:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            request.add_header("Authorization", "Basic " + base64.b64encode(pair.encode()).decode())
        try:
            with self.opener(parts.hostname or "", host).open(request, timeout=self.timeout_seconds) as answer:
                return bytes(answer.read())
        except (urllib.error.URLError, OSError):
            return None

    def opener(self, *names: str) -> urllib.request.OpenerDirector:
        context = ssl.create_default_context(cafile=self.certificates)
        if any(name in self.trusted for name in names):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=context)]
        if self.proxy:
            handlers.append(urllib.request.ProxyHandler({"http": self.proxy, "https": self.proxy}))
        return urllib.request.build_opener(*handlers)
