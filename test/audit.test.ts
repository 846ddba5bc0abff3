import test from 'ava';
import { judgeAudit } from './audit.ts';

test('a known vulnerability fails the audit and is reported', (t) => {
  const output = JSON.stringify({
    vulnerabilities: { leftpad: { name: 'leftpad', severity: 'high', range: '<1.2.3' } },
    metadata: { vulnerabilities: { total: 1 } },
  });
  t.deepEqual(judgeAudit(output), { isFine: false, lines: ['high: leftpad <1.2.3'] });
});

test('no vulnerability and an unreachable registry pass the audit', (t) => {
  t.true(
    judgeAudit(JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 } } })).isFine,
  );
  for (const output of [
    '',
    'npm error',
    JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 }),
  ])
    t.true(judgeAudit(output).isFine, output);
});
