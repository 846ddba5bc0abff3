/** A setting that is empty is none: compose files and charts pass on as empty what nobody has set. */

/** What the environment may say instead of an option. Those of OpenTelemetry are its own, and read so. */
export const settingNames = [
  'ADMIN_HOST',
  'ADMIN_PORT',
  'DATABASE_URL',
  'DATA_DIR',
  'DEPLOYMENT',
  'DRAIN_SECONDS',
  'ENVIRONMENTS',
  'GRPC_PORT',
  'HOST',
  'LIST_THREADS',
  'LOG_LEVEL',
  'PERSONALISATION_ADDRESS',
  'PERSONALISATION_CLIENT_ID',
  'PERSONALISATION_CLIENT_SECRET',
  'PERSONALISATION_TOKEN',
  'PERSONALISATION_URL',
  'PORT',
  'SIGNING_KEY_PASSPHRASE',
  'TRAINING_WORKERS',
];

/** Before options and defaults are read, which would take an empty port for 0, any free one. */
export function forgetEmptySettings(env = process.env): void {
  for (const name of settingNames) if (env[name] === '') delete env[name];
}
