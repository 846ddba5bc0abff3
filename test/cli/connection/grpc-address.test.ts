import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findGrpcAddress } from '../../../src/cli/connection/grpc-address.ts';
import { makeCertificate } from '../../support/certificate.ts';

/** Starts a service that returns its gRPC port over TLS; returns the path of its certificate. */
async function start(t: ExecutionContext) {
  const { certificate, key } = makeCertificate();
  const server = createServer({ cert: certificate, key }, ({ url }, response) => {
    response.statusCode = url === '/api/.well-known/personalisation' ? 200 : 404;
    response.end('{"grpc_port":50051}');
  });
  await new Promise<void>((done) => server.listen(0, () => done()));
  const folder = await mkdtemp(join(tmpdir(), 'grpc-address-'));
  t.teardown(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, certificate);
  return { origin: `https://localhost:${(server.address() as AddressInfo).port}`, ca };
}

test('the port is requested from a service with the certificate of `--ca`', async (t) => {
  const { origin, ca } = await start(t);
  t.is(await findGrpcAddress({ url: `${origin}/api/`, ca }, {}), 'localhost:50051');
  await t.throwsAsync(findGrpcAddress({ url: `${origin}/api` }, {}), { message: /self-signed certificate/ });
  await t.throwsAsync(findGrpcAddress({ url: `${origin}/shop`, ca }, {}), {
    message: /does not return the gRPC port/,
  });
});
