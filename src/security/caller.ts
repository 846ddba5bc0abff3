/** An authenticated caller. */
export type Caller = {
  clientId: string;
  kind: 'confidential' | 'write_key';
  /** For example `items:*` or `events:shop`. */
  scopes: readonly string[];
  /** Number of a person's session; absent for a client. */
  session?: number;
};

/** Parts of a call that authentication reads, whatever the transport. */
export type CallCredentials = {
  /** Value of the Authorization header or metadata entry. */
  authorization?: string;
  /** Value of the `write_key` query parameter, for front ends that cannot set headers. */
  writeKey?: string;
  origin?: string;
  /** Address of the peer, without its port; rate limits count by it if there is no client. */
  peer: string;
};
