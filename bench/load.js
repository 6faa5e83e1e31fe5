import { connect } from "node:net";

/**
 * Keeps `connections` sockets busy for `seconds`, each with one request at a time, and counts the answers.
 * It does as little as it can, so that the server is what is measured.
 *
 * @param {{ port: number, requests: Buffer[], connections?: number, seconds?: number, expected?: number }} options
 * @returns {Promise<number>} answers per second
 */
export function load({ port, requests, connections = 32, seconds = 1.5, expected = 200 }) {
  return new Promise((resolve, reject) => {
    const end = performance.now() + seconds * 1000;
    let answers = 0;
    let next = 0;
    let open = connections;
    // A loader that falls asleep between answers must be woken by the server's every write, which costs the slower of
    // two servers several times what answering does, on a virtual machine above all.
    const stayAwake = () => void (open > 0 && setImmediate(stayAwake));
    stayAwake();
    for (let i = 0; i < connections; i++) {
      const socket = connect(port, "127.0.0.1").setNoDelay(true);
      let received = "";
      const send = () => {
        if (performance.now() < end) return void socket.write(requests[next++ % requests.length]);
        socket.destroy();
        if (--open === 0) resolve(answers / seconds);
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        received += chunk.latin1Slice();
        const head = received.indexOf("\r\n\r\n");
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(received.slice(0, head))?.[1]);
        if (received.length < head + 4 + length) return;
        if (!received.startsWith(`HTTP/1.1 ${expected}`)) return reject(new Error(received.slice(0, 300)));
        received = "";
        answers++;
        send();
      });
    }
  });
}

/** A request as bytes. */
export function request(method, path, port, headers = {}, body = "") {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== "") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
