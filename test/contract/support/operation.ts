/** An operation of the interface in the forms of HTTP and rpc, with its outcome in one form. */

import type { JsonObject } from '@bufbuild/protobuf';

export type Operation = {
  /** e.g. `ItemService/PutItem`. */
  rpc: string;
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below the base URL, with the query. */
  path: string;
  /** JSON of the HTTP request; undefined for none. A string is sent unchanged. */
  body?: unknown;
  /** The request message in canonical proto JSON. */
  message: JsonObject;
};

export type Outcome =
  | {
      ok: true;
      /** The answer as the documented JSON. */
      body: unknown;
    }
  | {
      ok: false;
      /** A name of error_reason.proto without its prefix. */
      reason: string;
      pointers: string[];
    };

/** Additional facts of a transport. */
export type Answer = {
  outcome: Outcome;
  /** HTTP status, or gRPC status code. */
  status: number;
  requestId: string | undefined;
};

/** @param authorization The admin's by default; null for none. */
export type Transport = (operation: Operation, authorization?: string | null) => Promise<Answer>;
