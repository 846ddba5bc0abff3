/** Environment variables that are empty count as absent: compose files and charts pass unset settings as empty text. */

/** Environment variables of the command line, without those of OpenTelemetry. */
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

/** Must run before options are read: they would take an empty port for 0, any free one. */
export function forgetEmptySettings(env = process.env): void {
  for (const name of settingNames) if (env[name] === '') delete env[name];
}
