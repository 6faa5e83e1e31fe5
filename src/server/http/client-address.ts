import type { IncomingMessage } from "node:http";

/** The IP address of the client that sent a request. */
export type ClientAddress = (message: IncomingMessage) => string;

/** The socket's peer. IPv4 addresses arrive as IPv4-mapped IPv6 addresses on a dual-stack socket. */
export const peerOf: ClientAddress = (message) => (message.socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
