import test from 'ava';
import { translateError } from '../../../src/repository/database.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';

test('a line about a refused statement has its SQLSTATE and the database’s message', (t) => {
  const lines: string[] = [];
  const logger = createLogger('warn', { destination: { write: (line) => void lines.push(line) } });
  const refused = Object.assign(new Error('relation "gone" does not exist'), { code: '42P01' });
  logger.warn({ err: translateError(refused) }, 'Trying again.');
  t.like(JSON.parse(lines[0]), {
    msg: 'Trying again.',
    err: { code: '42P01', reason: 'relation "gone" does not exist' },
  });
});
