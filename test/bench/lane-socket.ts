/** The connection of a lane. Its events are ignored once the lane has another connection, or none. */

import { connect, type Socket } from 'node:net';

export const host = '127.0.0.1';

export type LaneSocketOptions = {
  port: number;
  isInUse(socket: Socket): boolean;
  receive(chunk: Buffer): void;
  /** May be called more than once. */
  lose(reason: string): void;
};

export function openLaneSocket({ port, isInUse, receive, lose }: LaneSocketOptions): Socket {
  const socket = connect({ host, port, noDelay: true });
  const fail = (reason: string) => {
    if (isInUse(socket)) lose(reason);
  };
  socket.on('data', (chunk: Buffer) => {
    if (isInUse(socket)) receive(chunk);
  });
  socket.on('error', (error) => fail(String(error)));
  for (const event of ['end', 'close']) socket.on(event, () => fail('The server closed the connection.'));
  return socket;
}
