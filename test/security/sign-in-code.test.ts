import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createSignInCode } from '../../src/security/sign-in-code.ts';

const admin = { clientId: 'c_1', clientSecret: 'cs_1' };

async function createCode(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'sign-in-code-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'admin-credentials.json');
  await writeFile(path, JSON.stringify({ client_id: admin.clientId, client_secret: admin.clientSecret }));
  return createSignInCode(path);
}

for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
  test(`the code is valid once, from ${peer}`, async (t) => {
    const { code, redeem } = await createCode(t);
    t.deepEqual(await redeem(code, peer), admin);
    t.is(await redeem(code, peer), undefined);
  });

test('only one of two concurrent uses succeeds', async (t) => {
  const { code, redeem } = await createCode(t);
  const answers = await Promise.all([redeem(code, '::1'), redeem(code, '::1')]);
  t.deepEqual(answers, [admin, undefined]);
});

test('another code or machine is refused without using up the code', async (t) => {
  const { code, redeem } = await createCode(t);
  const flipped = `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`;
  for (const other of ['', flipped, `${code}A`]) t.is(await redeem(other, '127.0.0.1'), undefined);
  for (const peer of ['10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1'])
    t.is(await redeem(code, peer), undefined);
  t.deepEqual(await redeem(code, '127.0.0.1'), admin);
});
