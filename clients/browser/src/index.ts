export {
  type AskOptions,
  createPersonalisation,
  type FallbackItems,
  type Personalisation,
  type PersonalisationOptions,
} from './client.ts';
export type * from './contract.ts';
export { anonymous, deviceCookie } from './identity.ts';
export { PersonalisationError } from './service-call.ts';
