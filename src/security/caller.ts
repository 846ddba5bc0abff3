/** An authenticated caller. */
export type Caller = {
  clientId: string;
  kind: 'confidential' | 'write_key';
  /** For example `items:*` or `events:shop`. */
  scopes: readonly string[];
};

/** Parts of a call that authentication reads, whatever the transport. */
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
