/** Who calls, as the access token or the write key says. */
export type Caller = {
  clientId: string;
  kind: 'confidential' | 'write_key';
  /** e.g. `items:*`, `events:shop`. */
  scopes: readonly string[];
};

/** What this room reads of a call, whatever the transport. */
export type CallCredentials = {
  /** Value of the Authorization header or metadata entry. */
  authorization?: string;
  /** Value of the `write_key` query parameter. */
  writeKey?: string;
  /** Value of the Origin header. */
  origin?: string;
  /** Address of the peer, without its port. */
  peer: string;
};
