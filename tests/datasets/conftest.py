"""What several tests of the data sets share."""

import http.server
import threading

import pytest


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        name = self.path.rpartition("/")[2]
        server.asked.append(name)
        if server.answer == "404":
            return self.send_error(404)
        body = b"Sign in to this network" if server.answer == "wrong" else server.files[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + (1000 if server.answer == "cut" else 0)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    """The cache folder, empty and the only place to look."""
    monkeypatch.delenv("NPFORMER_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "npformer"


@pytest.fixture
def file_server(monkeypatch, empty_cache):
    """A server of its `files`: it answers as `answer` says, and notes what it is `asked`."""
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.answer, server.asked, server.files = "good", [], {}
        server.address = f"http://127.0.0.1:{server.server_port}/raw/"
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
