/** Previews of drafts in requests for lists and searches. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';

export type Drafts = ReadonlyMap<string, ActiveConfiguration>;

type Previewable = { preview?: string; doNotStore?: boolean };

type Previewing<Request> = {
  /** Without the token; with `doNotStore` if there are drafts. */
  request: Request;
  drafts?: Drafts;
  /** As in answers. */
  preview?: 'draft' | 'ignored';
};

/** Finds the drafts of a request. A token that does not apply, or a late database, means live lists. */
export type ApplyPreview = <Request extends Previewable>(
  request: Request,
  settings: Pick<EnvironmentSettings, 'name' | 'timeoutMs'>,
) => Promise<Previewing<Request>>;
