"""An application with sign-in, by hand: what svc-identity/sign-in does for JavaScript. Standard library only."""

import hmac
import json
import os
import secrets
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

BASE_URL, SECRET_KEY = os.environ["SVC_BASE_URL"], os.environ["SVC_SECRET_KEY"]
PORT = int(os.environ.get("PORT", "3000"))
# Over https: "__Host-signing_in", with "; Secure".
COOKIE, ATTRIBUTES = "signing_in", "; Path=/; HttpOnly; SameSite=Lax"
END = ("Set-Cookie", f"{COOKIE}=; Max-Age=0{ATTRIBUTES}")


def verified(token):
    """The user of a token, or None."""
    request = urllib.request.Request(
        f"{BASE_URL}/api/v1/tokens/verify",
        json.dumps({"token": token}).encode(),
        {"X-Service-Secret-Key": SECRET_KEY, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as error:
        print(error.read().decode())
        return None


class Application(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        pages = {"/": self.home, "/sign-in": self.begin_sign_in, "/callback": self.finish_sign_in}
        pages.get(url.path, self.home)(parse_qs(url.query))

    def home(self, _query):
        self.answer(200, '<a href="/sign-in">Sign in</a>')

    def begin_sign_in(self, _query):
        if not self.is_navigation() or self.headers.get("Sec-Fetch-Site") == "cross-site":
            return self.answer(400, '<a href="/sign-in">Sign in</a>')
        # 43 characters, which come back with the callback and are compared with the cookie.
        nonce = secrets.token_urlsafe(32)
        callback = f"http://localhost:{self.server.server_port}/callback?nonce={nonce}"
        location = f"{BASE_URL}/oauth/authorize?{urlencode({'provider': 'github', 'redirect_uri': callback})}"
        cookie = f"{COOKIE}={nonce}; Max-Age=600{ATTRIBUTES}"
        self.answer(302, "", ("Location", location), ("Set-Cookie", cookie))

    # Not `finish`: that is the handler's own.
    def finish_sign_in(self, query):
        own = self.cookies(COOKIE)
        nonces = query.get("nonce", [])
        # Exactly one of each: a second one is somebody else's.
        began = len(own) == len(nonces) == 1 and hmac.compare_digest(own[0].encode(), nonces[0].encode())
        if not began or not own[0] or not self.is_navigation():
            return self.answer(401, 'This sign-in has expired. <a href="/sign-in">Sign in</a>')
        user = verified(query["token"][0]) if "token" in query else None
        if user is None:
            return self.answer(401, 'The sign-in failed. <a href="/sign-in">Try again</a>', END)
        # Start a session of your own here, and redirect: the token is in the address.
        self.answer(200, f"Hello {user['name']}".replace("<", "&lt;"), END)

    def is_navigation(self):
        """Whether a person goes from page to page: no script, frame, prefetch or WebSocket. Programs may too."""
        if any(self.headers.get(name) for name in ("Sec-WebSocket-Key", "Sec-Purpose", "Purpose")):
            return False
        mode, target = self.headers.get("Sec-Fetch-Mode"), self.headers.get("Sec-Fetch-Dest")
        return self.headers.get("Sec-Fetch-Site") is None or (mode, target) == ("navigate", "document")

    def cookies(self, name):
        pairs = [pair.strip().split("=", 1) for pair in self.headers.get("Cookie", "").split(";")]
        return [pair[1] for pair in pairs if pair[0] == name and len(pair) == 2]

    def answer(self, status, text, *headers):
        self.send_response(status)
        fixed = [("Content-Type", "text/html; charset=utf-8"), ("Referrer-Policy", "no-referrer")]
        for name, value in [*fixed, ("Cache-Control", "no-store"), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_request(self, *_):
        """The address of a callback has a token, which belongs into no log."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Application)
    print(f"http://localhost:{server.server_port}", flush=True)
    server.serve_forever()
