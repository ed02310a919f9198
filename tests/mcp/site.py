"""A page with a form, on a free port of loopback; prints its URL."""

from http.server import BaseHTTPRequestHandler, HTTPServer

PAGE = b"""<!doctype html><title>Form</title><h1>Order</h1><p>Thank you for looking</p>
<label>Your name <input id=name></label>
<button onclick="said.textContent = 'Thank you, ' + document.getElementById('name').value">Order</button><p id=said></p>"""


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Site)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
