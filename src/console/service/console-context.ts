/** What every page works with: the environment in the address, who is signed in, and the way to the service. */

import { createContext, useContext } from 'react';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import type { Session } from './session.ts';
import type { Connection } from './transport.ts';

export type ConsoleContext = {
  session: Session;
  connection: Connection;
  environments: EnvironmentSettings[];
  environment: EnvironmentSettings;
  /** Whether the signed-in client may work in an area, in the environment or everywhere. */
  can(area: string, place?: 'here' | 'everywhere'): boolean;
  /** The address of a page of this environment, e.g. `metrics` or `configurations/home`. */
  pathTo(page: string): string;
  endSession(): void;
};

export const Context = createContext<ConsoleContext | undefined>(undefined);

export function useConsole(): ConsoleContext {
  return useContext(Context)!;
}
