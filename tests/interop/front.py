"""A name and TLS before a registry on loopback, for clients that insist on both.

One listener stands for a proxy: it answers `CONNECT` for any host by handing the connection to
itself as that host, with a certificate made for the occasion, and passes what is said inside on to
the registry. Nothing is looked up, nothing leaves the machine.
"""

import socket
import ssl
import subprocess
import threading
from pathlib import Path


class Front:
    """A proxy that is every host, over TLS, and the certificate to trust."""

    def __init__(self, place: Path, host: str):
        self.authority, self.target = place / "authority.pem", None
        key = place / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", key, "-out", self.authority, "-days", "2", "-subj", f"/CN={host}",
             "-addext", f"subjectAltName=DNS:{host}"],
            check=True, capture_output=True,
        )
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.authority, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096)
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            inside = self.context.wrap_socket(client, server_side=True)
            behind = socket.create_connection(self.target)
            threading.Thread(target=_pump, args=(inside, behind), daemon=True).start()
            _pump(behind, inside)
        except OSError:
            client.close()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
