/** Shared by all pages: the environment in the address, the session, and the connection to the service. */

import { createContext, useContext } from 'react';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import type { Session } from './session.ts';
import type { Connection } from './transport.ts';

export type ConsoleContext = {
  session: Session;
  connection: Connection;
  environments: EnvironmentSettings[];
  environment: EnvironmentSettings;
  /** Whether the client or person may read an area, in this environment or in all. */
  can(area: string, reach?: 'here' | 'everywhere'): boolean;
  /** Whether it may edit an area in all places [here]; publishing may need approval. Undefined means everywhere. */
  mayChange(area: string, access?: 'edit' | 'publish', places?: readonly (string | undefined)[]): boolean;
  /** Address of a page of this environment, e.g. `metrics` or `configurations/home`. */
  pathTo(page: string): string;
  endSession(): void;
  /** Continues with the token of a new session of the same person. */
  renewSession(accessToken: string): Promise<void>;
};

export const Context = createContext<ConsoleContext | undefined>(undefined);

export function useConsole(): ConsoleContext {
  return useContext(Context)!;
}
